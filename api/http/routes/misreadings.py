"""Votes explained: those of a source, and readings that look misread, with what people find of these."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query

from api.http.dependencies import PROTECTED, AdminAccess, PageParameters, ReadAccess
from api.http.routes.sources import SourceReference
from api.http.schemas.misreadings import JudgedView, MisreadingList, MisreadingView, VerdictInput
from api.http.schemas.sources import ExplainedVoteView, SourceVotes
from registry.estimations import store as estimations
from registry.estimations.explanation import explain_votes
from registry.platform.database.paging import Page
from registry.platform.errors import Conflict
from registry.readings.store import misreadings
from registry.readings.store.misreadings import SuspectedReading
from registry.sources.store import estimates

router = APIRouter(prefix="/v1/corpora/{corpus}/misreadings", tags=["estimations"], dependencies=PROTECTED)
of_source = APIRouter(prefix="/v1/corpora/{corpus}/sources/{source_id}", tags=["sources"], dependencies=PROTECTED)

MisreadingId = Annotated[UUID, Path(description="Identifier of the reading, as the list gives it.")]


@router.get("", summary="List misreadings")
async def list_misreadings(
    access: ReadAccess,
    paging: PageParameters,
    open_only: Annotated[bool, Query(alias="open", description="Only those on which there is no verdict yet.")] = False,
) -> MisreadingList:
    """Readings of the current estimation that are more probably misread than not, and those with a verdict, the most
    suspect first; empty before any estimation and for readers that give no confidence.
    """
    page: Page[SuspectedReading] = Page([], None)
    async with access.begin() as (session, corpus):
        if run := await estimates.current_run(session, corpus):
            page = await misreadings.suspected(
                session, run, open_only=open_only, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
            )
        explained = await explain_votes(session, [each.vote for each in page.items])
        views = [MisreadingView.of(*both) for both in zip(page.items, explained, strict=True)]
    return MisreadingList(items=views, next_cursor=page.next_cursor)


@router.put("/{misreading_id}", summary="Confirm or reject a misreading")
async def judge_misreading(body: VerdictInput, access: AdminAccess, misreading_id: MisreadingId) -> JudgedView:
    """Counts at once in answers, and in estimations from the next one on."""
    async with access.begin() as (session, corpus):
        run = await estimates.current_run(session, corpus)
        row = await misreadings.judge(session, corpus, run, misreading_id, body.verdict, access.principal.name)
        return JudgedView.model_validate(row)


@router.delete("/{misreading_id}", status_code=204, summary="Withdraw a verdict")
async def withdraw_verdict(access: AdminAccess, misreading_id: MisreadingId) -> None:
    """The reading is judged by the votes alone again."""
    async with access.begin() as (session, corpus):
        await misreadings.withdraw(session, corpus, misreading_id)


@of_source.get("/votes", summary="Explain the reliability of a source")
async def list_source_votes(
    access: ReadAccess,
    source_id: SourceReference,
    against: Annotated[bool, Query(description="Only votes against the answer of the estimation.")] = False,
    limit: Annotated[int | None, Query(ge=1, description="The most votes to show; all by default.")] = None,
) -> SourceVotes:
    """Its votes in the current estimation with the sentences that they were read from, those against the estimation's
    answers first.
    """
    async with access.at_source(source_id) as (session, corpus, source):
        run = await estimates.current_run(session, corpus)
        if run is None:
            raise Conflict("Nothing is estimated yet: `credence estimate`.")
        readings = await estimations.votes_of_source(session, run, source.id, access.viewer)
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
