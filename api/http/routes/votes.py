"""The votes of a source, explained."""

from typing import Annotated

from fastapi import APIRouter, Query

from api.http import problems
from api.http.dependencies import PROTECTED, ReadAccess
from api.http.openapi.responses import read_responses
from api.http.routes.sources import SourceReference
from api.http.schemas.sources import ExplainedVoteView, SourceVotes
from registry.errors import Conflict
from registry.estimation.explanation import explain_votes
from registry.store import estimations, reliabilities

router = APIRouter(prefix="/v1/corpora/{corpus}/sources/{source_id}", tags=["sources"], dependencies=PROTECTED)


@router.get("/votes", summary="Explain the reliability of a source", responses=read_responses(problems.CONFLICT))
async def list_source_votes(
    access: ReadAccess,
    source_id: SourceReference,
    against: Annotated[bool, Query(description="Only votes against the answer of the estimation.")] = False,
    limit: Annotated[int | None, Query(ge=1, description="The most votes to show; all by default.")] = None,
) -> SourceVotes:
    """Its votes in the current estimation with the sentences that they were read from, those against the estimation's
    answers first. Needs the scope `read`.
    """
    async with access.at_source(source_id) as (session, corpus, source):
        run = await reliabilities.current_run(session, corpus)
        if run is None:
            raise Conflict("Nothing is estimated yet: `credence estimate`.")
        readings = await estimations.votes_of_source(session, run, source.id)
        votes = [reading for reading in readings if reading.agrees is not None]
        shown = sorted((vote for vote in votes if not (against and vote.agrees)), key=lambda vote: bool(vote.agrees))
        explained = await explain_votes(session, shown[:limit])
    return SourceVotes(
        votes=len(votes),
        agreeing=sum(vote.agrees is True for vote in votes),
        items=[
            ExplainedVoteView(
                query_id=each.vote.query_id,
                query_text=each.vote.query_text,
                answer=each.vote.answer,
                run_answer=each.vote.run_answer,
                agrees=each.vote.agrees,
                quote=each.quote,
                document_id=each.document_id,
                title=each.title,
            )
            for each in explained
        ],
    )
