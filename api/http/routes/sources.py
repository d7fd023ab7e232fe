"""Sources, their reliability, the operator's overrides, and ratings of outside lists."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from api.http.dependencies import PROTECTED, AdminAccess, PageParameters, PublishAccess, ReadAccess
from api.http.openapi import examples
from api.http.openapi.responses import created, importing
from api.http.schemas.sources import (
    ChangedAnswerView,
    InfluenceView,
    OverrideView,
    PastEstimate,
    RatingView,
    ReliabilityHistory,
    ReliabilityView,
    SourceList,
    SourceWithReliability,
)
from api.http.streaming.request_lines import import_lines
from api.http.streaming.result_lines import ResultLines
from registry.corpora.model import Corpus
from registry.documents import imports
from registry.estimations.store import estimates
from registry.platform.database.base import AsyncSession
from registry.platform.enums import SourceStatus
from registry.sources import reliabilities
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import OverrideInput, RatingInput, SourceInput, SourcePatch
from registry.sources.store import ratings as outside_ratings
from registry.votes.summaries import influence_of

router = APIRouter(prefix="/v1/corpora/{corpus}/sources", tags=["sources"], dependencies=PROTECTED)

SourceReference = Annotated[str, Path(description="External id, id or name of the source.")]


@router.post("", status_code=201, summary="Register a source", responses={201: created("The new source.")})
async def create_source(
    body: Annotated[SourceInput, examples.SOURCE], access: PublishAccess, response: Response
) -> SourceWithReliability:
    """If your key is bound to sources, the name and external id must be of these."""
    async with access.begin() as (session, corpus):
        source = await sources.create(session, corpus, body, access.principal.source_bound)
        response.headers["Location"] = access.path("sources", source.id)
        return await _with_reliability(session, corpus, source)


@router.get("", summary="List sources")
async def list_sources(
    access: ReadAccess,
    paging: PageParameters,
    status: Annotated[SourceStatus | None, Query(description="Only sources of this status.")] = None,
) -> SourceList:
    async with access.begin() as (session, corpus):
        page = await sources.page(session, corpus, cursor=paging.cursor, limit=paging.limit, status=status)
        current = await reliabilities.of_sources(session, corpus, [source.id for source in page.items])
    by_id = {source.source_id: source for source in current.sources}
    items = [SourceWithReliability.joined(row, by_id[row.id], current.run) for row in page.items if row.id in by_id]
    return SourceList(items=items, next_cursor=page.next_cursor)


@router.get("/{source_id}", summary="Read a source")
async def get_source(access: ReadAccess, source_id: SourceReference) -> SourceWithReliability:
    async with access.at_source(source_id) as (session, corpus, source):
        return await _with_reliability(session, corpus, source)


@router.patch("/{source_id}", summary="Change, pause or retire a source")
async def update_source(
    patch: Annotated[SourcePatch, examples.SOURCE_PATCH], access: AdminAccess, source_id: SourceReference
) -> SourceWithReliability:
    """Fields that you leave out stay."""
    async with access.at_source(source_id) as (session, corpus, source):
        return await _with_reliability(session, corpus, await sources.update(session, corpus, source.id, patch))


@router.delete("/{source_id}", status_code=204, summary="Delete a source")
async def delete_source(access: AdminAccess, source_id: SourceReference) -> None:
    """Deletes its documents too. Refused while an estimation of the corpus is under way. Past estimations stay as they
    are.
    """
    async with access.at_source(source_id) as (session, corpus, source):
        await sources.delete(session, corpus, source.id)


@router.get("/{source_id}/reliability", summary="Read the reliability of a source")
async def get_reliability(access: ReadAccess, source_id: SourceReference) -> ReliabilityView:
    """The operator's override, else the estimate of the current estimation."""
    async with access.at_source(source_id) as (session, corpus, source):
        current = await reliabilities.of_source(session, corpus, source.id)
    return ReliabilityView.of(current.sources[0], current.run)


@router.get("/{source_id}/reliability/history", summary="List the estimates of a source")
async def list_reliability_history(
    access: ReadAccess, source_id: SourceReference, paging: PageParameters
) -> ReliabilityHistory:
    """One entry for each succeeded estimation."""
    async with access.at_source(source_id) as (session, corpus, source):
        page = await estimates.history(session, corpus, source.id, cursor=paging.cursor, limit=paging.limit)
        runs = await estimates.runs_behind(session, page.items)
    return ReliabilityHistory.of(page, lambda estimate: PastEstimate.of(estimate, runs[estimate.estimation_id]))


@router.get("/{source_id}/influence", summary="Show what rests on a source")
async def get_influence(access: ReadAccess, source_id: SourceReference) -> InfluenceView:
    """The queries whose answer would be another one without the votes of the source, by the reliabilities of the
    current estimation.
    """
    async with access.at_source(source_id) as (session, corpus, source):
        found = await influence_of(session, corpus, source, access.viewer)
    return InfluenceView(
        estimation_id=found.estimation_id,
        queries=found.queries,
        changed=[
            ChangedAnswerView(
                query_id=each.query.id, query_text=each.query.text, answer=each.answer, without=each.without
            )
            for each in found.changed
        ],
    )


@router.put("/{source_id}/override", summary="Set a reliability by hand")
async def set_override(
    body: Annotated[OverrideInput, examples.OVERRIDE], access: AdminAccess, source_id: SourceReference
) -> OverrideView:
    """Used instead of every estimate until it is deleted."""
    async with access.at_source(source_id) as (session, corpus, source):
        override = await sources.set_override(session, corpus, source.id, body, access.principal.name)
        return OverrideView.model_validate(override)


@router.delete("/{source_id}/override", status_code=204, summary="Delete the override of a source")
async def delete_override(access: AdminAccess, source_id: SourceReference) -> None:
    async with access.at_source(source_id) as (session, corpus, source):
        await sources.delete_override(session, corpus, source.id)


async def _with_reliability(session: AsyncSession, corpus: Corpus, source: Source) -> SourceWithReliability:
    current = await reliabilities.of_source(session, corpus, source.id)
    return SourceWithReliability.joined(source, current.sources[0], current.run)


ratings = APIRouter(prefix="/v1/corpora/{corpus}", tags=["sources"], dependencies=PROTECTED)

_RATING_LINES = (
    '{"external_id":"acme-blog","rating":0.4,"origin":"Media list, May 2026"}\n'
    '{"external_id":"herald","rating":0.9,"strength":20,"origin":"Media list, May 2026"}\n'
)


@ratings.put("/sources/{source_id}/rating", summary="Set the rating of an outside list")
async def set_rating(
    body: Annotated[RatingInput, examples.RATING], access: AdminAccess, source_id: SourceReference
) -> RatingView:
    """Counts as `strength` votes in later estimations by `auto`, `one_coin` or `dawid_skene`."""
    async with access.at_source(source_id) as (session, corpus, source):
        await sources.lock(session, corpus, {source.id})
        rating, _ = await outside_ratings.put(session, source, body, access.principal.name)
        return RatingView.model_validate(rating)


@ratings.delete("/sources/{source_id}/rating", status_code=204, summary="Delete the rating of a source")
async def delete_rating(access: AdminAccess, source_id: SourceReference) -> None:
    """Later estimations do without it."""
    async with access.at_source(source_id) as (session, corpus, source):
        await outside_ratings.delete(session, corpus, source.id)


@ratings.post(
    "/ratings:import",
    summary="Set the ratings of many sources",
    **importing("RatingLine", _RATING_LINES),
)
async def import_ratings(request: Request, access: AdminAccess) -> ResultLines:
    """NDJSON, the rating of a source a line, also gzipped; answered with a result a line.

    A bad line does not touch the others; of two ratings of one source the later counts.
    """
    lines = import_lines(request, access.runtime.settings)
    rate = partial(imports.import_ratings, created_by=access.principal.name)
    return ResultLines(lines, partial(rate, access.runtime, await access.corpus()))
