"""Votes without documents, and what the votes on a query agree on."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import StreamingResponse

from api.http.dependencies import PROTECTED, AdminAccess, PageParameters, PublishAccess, ReadAccess, ReadOrAskAccess
from api.http.openapi import examples
from api.http.openapi.responses import importing
from api.http.schemas.votes import DeletedVotes, ImportedVoteList, ImportedVoteView
from api.http.streaming.request_lines import import_lines
from api.http.streaming.result_lines import ResultLines
from registry.votes import consensus, service
from registry.votes import store as votes
from registry.votes.schemas import Consensus, ConsensusInput
from registry.votes.summaries import consensus_of_all

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["votes"], dependencies=PROTECTED)

QueryReference = Annotated[str, Path(max_length=500, description="External id or identifier of the query.")]
VoteId = Annotated[UUID, Path(description="Identifier of the vote.")]
OfQuery = Annotated[str | None, Query(max_length=500, description="Only votes on this query, as in a path.")]
OfSource = Annotated[str | None, Query(max_length=500, description="Only votes of this source, as in a path.")]
_LINES = (
    '{"source":"model-a","query":"task-1","answer":"72"}\n'
    '{"source":"model-b","query":"task-1","answer":"70","at":"2026-05-04","confidence":0.8}\n'
)


@router.post(
    "/votes:import",
    summary="Send votes",
    **importing("VoteLine", _LINES),
)
async def import_votes(request: Request, access: PublishAccess) -> ResultLines:
    """Imports answers of sources to queries, without documents and without a reader. NDJSON, a vote a line, also
    gzipped; answered with a result a line. Replaces the vote of the same source on the same query; where several
    answers may be true, a list does, and a text is added to what the source listed. Unknown sources and queries are
    made. A bad line does not touch the others; lines of sources that the key is not bound to are rejected, and a bound
    key makes no queries.
    """
    lines = import_lines(request, access.runtime.settings)
    take = partial(service.import_votes, access.runtime, await access.corpus(), key_id=access.principal.key_id)
    return ResultLines(lines, take)


@router.get("/votes", summary="List imported votes")
async def list_imported_votes(
    access: ReadAccess, paging: PageParameters, query: OfQuery = None, source: OfSource = None
) -> ImportedVoteList:
    """The oldest first. What was read in documents is in `exports/votes`."""
    async with access.begin() as (session, corpus):
        page = await votes.page(
            session, corpus, query=query, source=source, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
        return ImportedVoteList.of(page, ImportedVoteView.of)


@router.delete("/votes", summary="Delete the votes on a query or of a source")
async def delete_votes(access: AdminAccess, query: OfQuery = None, source: OfSource = None) -> DeletedVotes:
    """Name a query, a source or both. Past estimations keep the votes."""
    async with access.begin() as (session, corpus):
        deleted = await votes.delete_of(session, corpus, query=query, source=source)
    return DeletedVotes(deleted=deleted)


@router.delete("/votes/{vote_id}", status_code=204, summary="Delete a vote")
async def delete_vote(access: AdminAccess, vote_id: VoteId) -> None:
    """Past estimations keep it."""
    async with access.begin() as (session, corpus):
        await votes.delete(session, corpus, vote_id)


@router.get("/queries/{query_id}/consensus", summary="Read the consensus on a query")
async def get_consensus(access: ReadOrAskAccess, query_id: QueryReference) -> Consensus:
    """The answer on which the votes on a query agree, each with the weight of its source: imported votes, and of other
    sources what the current estimation read in their documents.
    """
    async with access.begin() as (session, corpus):
        return await consensus.consensus_of_query(session, corpus, query_id, access.viewer)


@router.post("/consensus", summary="Count votes without storing them")
async def count_votes(body: Annotated[ConsensusInput, examples.CONSENSUS], access: ReadOrAskAccess) -> Consensus:
    """The answer on which votes of known sources agree, each with the weight of its source."""
    async with access.begin() as (session, corpus):
        return await consensus.consensus_of_votes(session, corpus, body.votes, body.answers)


@router.get(
    "/consensus",
    summary="Read the consensus on all queries",
    responses={200: {"description": "One JSON object a line.", "content": {"application/x-ndjson": {}}}},
    response_class=StreamingResponse,
    response_model=None,
)
async def stream_consensus(access: ReadAccess) -> StreamingResponse:
    """NDJSON, a `ConsensusSummary` for each active query with votes."""
    corpus = await access.corpus()

    async def lines() -> AsyncIterator[bytes]:
        async for batch in consensus_of_all(access.runtime.database, corpus, access.viewer):
            yield "".join(f"{summary.model_dump_json()}\n" for summary in batch).encode()

    return StreamingResponse(lines(), media_type="application/x-ndjson")
