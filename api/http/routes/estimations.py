"""Estimation runs, read down to the votes, and disputes: what sources and new documents contradict."""

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.convertors import StringConvertor, register_url_convertor

from api.http.dependencies import PROTECTED, AdminAccess, PageParameters, ReadAccess
from api.http.openapi import examples
from api.http.openapi.responses import RETRY_AFTER, accepted
from api.http.routes.queries import QueryId
from api.http.schemas.documents import DocumentContradictionList, DocumentContradictionView
from api.http.schemas.estimations import (
    DisputeList,
    DisputeView,
    EstimationInput,
    EstimationList,
    EstimationView,
    RunQueryList,
    RunQueryView,
    VoteList,
    VoteView,
)
from api.http.schemas.sources import RunSourceList, RunSourceView
from api.http.streaming.event_stream import LastEventId, event_stream, require_unseen_events
from registry.disputes import store as disputes
from registry.estimations import service as estimation
from registry.estimations import store as estimations
from registry.estimations.difference import difference
from registry.estimations.model import EstimationRun, RunQuery
from registry.estimations.more_queries import more_queries
from registry.estimations.schemas import CurrentRunInput, RunDifference, RunPatch
from registry.estimations.store.estimates import make_current
from registry.events.audit import current_actor
from registry.platform.database.paging import Page
from registry.platform.enums import ActorKind, RunStatus, Trigger
from registry.queries.schemas import MoreQueries
from registry.sources.store import estimates
from registry.sources.store.estimates import current_run


class SegmentBeforeColon(StringConvertor):
    """A path segment that ends before a colon, after which a verb may follow: `/estimations/{id}:cancel`."""

    regex = "[^/:]+"


SEGMENT = "segment"
register_url_convertor(SEGMENT, SegmentBeforeColon())

router = APIRouter(prefix="/v1/corpora/{corpus}/estimations", tags=["estimations"], dependencies=PROTECTED)

EstimationId = Annotated[UUID, Path(description="Identifier of the estimation.")]
POLL_SECONDS = "2"
DEFAULTS = EstimationInput()


@router.post("", status_code=202, summary="Estimate all reliabilities", responses={202: accepted("It is queued.")})
async def start_estimation(
    access: AdminAccess, response: Response, body: Annotated[EstimationInput, examples.ESTIMATION] = DEFAULTS
) -> EstimationView:
    """Reads every active source for every active query, except where the reading is stored already, and estimates from
    the votes. A corpus has one estimation at a time. Poll the address in Location, or follow its `/events`.
    """
    trigger = Trigger.COMMAND if current_actor.get().actor is ActorKind.CLI else Trigger.HTTP
    run = await estimation.start(access.runtime, await access.corpus(), body.parameters, trigger)
    response.headers["Location"] = access.path("estimations", run.id)
    response.headers["Retry-After"] = POLL_SECONDS
    return EstimationView.of(run)


@router.get("", summary="List estimations")
async def list_estimations(access: ReadAccess, paging: PageParameters) -> EstimationList:
    async with access.begin() as (session, corpus):
        page = await estimations.page(session, corpus, cursor=paging.cursor, limit=paging.limit)
        current = await current_run(session, corpus)
    return EstimationList.of(page, lambda run: _view(access, run, current))


@router.get(
    f"/{{estimation_id:{SEGMENT}}}",
    summary="Read an estimation",
    responses={200: {"description": "With Retry-After until it has ended.", "headers": RETRY_AFTER}},
)
async def get_estimation(access: ReadAccess, estimation_id: EstimationId, response: Response) -> EstimationView:
    """Whether it failed, and why, is in the body: the status of the response is 200 all the same."""
    async with access.begin() as (session, corpus):
        run = await estimations.get(session, corpus, estimation_id)
        current = await current_run(session, corpus)
        more = await more_queries(session, run, access.viewer)
    if not RunStatus(run.status).ended:
        response.headers["Retry-After"] = POLL_SECONDS
    return _view(access, run, current, more)


def _view(
    access: ReadAccess, run: EstimationRun, current: EstimationRun | None, more: MoreQueries | None = None
) -> EstimationView:
    reader_note = access.runtime.reader_change(run.reader)
    return EstimationView.of(run, reader_note, more, viewer=access.viewer, current=current)


@router.patch(f"/{{estimation_id:{SEGMENT}}}", summary="Name an estimation")
async def rename_estimation(access: AdminAccess, estimation_id: EstimationId, body: RunPatch) -> EstimationView:
    """Its number stays."""
    async with access.begin() as (session, corpus):
        run = await estimations.rename(session, corpus, estimation_id, body.name)
        return _view(access, run, await current_run(session, corpus))


@router.post(f"/{{estimation_id:{SEGMENT}}}:make-current", summary="Make an estimation current")
async def make_estimation_current(
    access: AdminAccess, estimation_id: EstimationId, body: CurrentRunInput
) -> EstimationView:
    """Its reliabilities and topics count in answers from now on, until a newer estimation succeeds. Look at
    `/difference` first: it says what that changes. To undo it, make the former one current.
    """
    async with access.begin() as (session, corpus):
        run = await make_current(session, corpus, estimation_id, body.instead_of)
        await session.flush()
        return _view(access, run, await current_run(session, corpus))


@router.get("/{estimation_id}/difference", summary="Compare two estimations")
async def compare_estimations(
    access: ReadAccess,
    estimation_id: EstimationId,
    before: Annotated[UUID, Query(alias="from", description="Identifier of the estimation to compare with.")],
) -> RunDifference:
    """Compares the settings and the estimates of each source from the estimation `from` to this one. Both have
    succeeded.
    """
    async with access.begin() as (session, corpus):
        return await difference(session, corpus, before, estimation_id)


@router.post(
    f"/{{estimation_id:{SEGMENT}}}:cancel",
    status_code=202,
    summary="Cancel an estimation",
    responses={202: {"description": "It will stop within seconds."}},
)
async def cancel_estimation(access: AdminAccess, estimation_id: EstimationId) -> EstimationView:
    """Its readings stay stored."""
    async with access.begin() as (session, corpus):
        return EstimationView.of(await estimations.request_cancel(session, corpus, estimation_id))


async def _followed(access: ReadAccess, estimation_id: EstimationId, last_event_id: LastEventId = 0) -> EstimationRun:
    async with access.begin() as (session, corpus):
        run = await estimations.get(session, corpus, estimation_id)
        await require_unseen_events(session, run.id, RunStatus(run.status), last_event_id)
    return run


@router.get(
    "/{estimation_id}/events",
    summary="Follow an estimation",
    responses={204: {"description": "It has ended, and nothing came after Last-Event-ID."}},
    response_class=EventSourceResponse,
)
async def follow_estimation(
    access: ReadAccess, run: Annotated[EstimationRun, Depends(_followed)], last_event_id: LastEventId = 0
) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events: `queued`, `running`, `forecast` with the readings and seconds to expect, `progress`, and at
    the end `succeeded`, `failed` or `cancelled`.

    Send the id of the last event seen as `Last-Event-ID` to go on from there.
    """
    async for event in event_stream(access.runtime, run.id, last_event_id):
        yield event


@router.get("/{estimation_id}/sources", summary="List the sources of an estimation")
async def list_estimation_sources(access: ReadAccess, estimation_id: EstimationId) -> RunSourceList:
    """All of them, the most reliable first."""
    async with access.begin() as (session, corpus):
        run = await estimations.get(session, corpus, estimation_id)
        rows = await estimations.sources_of(session, run)
    return RunSourceList(items=[RunSourceView.model_validate(row) for row in rows], next_cursor=None)


@router.get("/{estimation_id}/queries", summary="List the queries of an estimation")
async def list_estimation_queries(
    access: ReadAccess, estimation_id: EstimationId, paging: PageParameters
) -> RunQueryList:
    """Returns the queries with their estimated answers."""
    async with access.begin() as (session, corpus):
        run = await estimations.get(session, corpus, estimation_id)
        page = await estimations.queries_of(
            session, run, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
    return RunQueryList.of(page, RunQueryView.model_validate)


@router.get("/{estimation_id}/queries/{query_id}/votes", summary="List the votes on a query")
async def list_votes(access: ReadAccess, estimation_id: EstimationId, query_id: QueryId) -> VoteList:
    """The reading of every source, and why one is no vote."""
    async with access.begin() as (session, corpus):
        run = await estimations.get(session, corpus, estimation_id)
        votes = await estimations.votes_of(session, run, query_id, access.viewer)
    return VoteList(items=[VoteView.of(vote, access.viewer) for vote in votes], next_cursor=None)


disputed = APIRouter(prefix="/v1/corpora/{corpus}/disputes", tags=["estimations"], dependencies=PROTECTED)


@disputed.get("", summary="List disputes")
async def list_disputes(
    access: ReadAccess,
    paging: PageParameters,
    without_gold: Annotated[bool, Query(description="Only active queries without a right answer.")] = False,
) -> DisputeList:
    """The queries of the current estimation with votes for several answer classes, the least certain first; empty
    before any estimation.
    """
    page: Page[RunQuery] = Page([], None)
    async with access.begin() as (session, corpus):
        if run := await estimates.current_run(session, corpus):
            page = await disputes.page(
                session, run, without_gold=without_gold, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
            )
        return DisputeList.of(page, DisputeView.model_validate)


@disputed.get("/documents", summary="List contradictions of new documents")
async def list_contradictions(access: ReadAccess, paging: PageParameters) -> DocumentContradictionList:
    """Returns the statements of documents against other sources when they came in, the newest first, from imports that
    asked for them (`contradictions`).
    """
    async with access.begin() as (session, corpus):
        page = await disputes.contradictions(
            session, corpus, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
        return DocumentContradictionList.of(page, DocumentContradictionView.model_validate)
