"""Sources, their reliability and the operator's overrides."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from sqlalchemy.ext.asyncio import AsyncSession

from api.http import examples, problems
from api.http.dependencies import JSON, KEY, Administering, Ingesting, InList, Reading
from api.http.describe import made, posts, reads, writes
from api.http.schemas.sources import (
    OverrideView,
    ReliabilityHistory,
    ReliabilityView,
    RunSourceView,
    SourceList,
    SourceWithReliability,
)
from registry.inputs.sources import OverrideInput, SourceInput, SourcePatch
from registry.models import Corpus, Source, SourceStatus
from registry.store import reliabilities, sources

router = APIRouter(prefix="/v1/corpora/{corpus}/sources", tags=["sources"], dependencies=[KEY, JSON])

SourceId = Annotated[UUID, Path(description="Identifier of the source.")]


@router.post(
    "",
    status_code=201,
    summary="Register a source",
    responses={201: made("The new source."), **posts(problems.CONFLICT)},
)
async def create_source(
    given: Annotated[SourceInput, examples.SOURCE], access: Ingesting, response: Response
) -> SourceWithReliability:
    """Needs the scope `ingest`."""
    async with access.begin() as (session, corpus):
        source = await sources.create(session, corpus, given)
        response.headers["Location"] = access.path("sources", source.id)
        return await _shown(session, corpus, source)


@router.get("", summary="List sources", responses=reads())
async def list_sources(
    access: Reading,
    place: InList,
    status: Annotated[SourceStatus | None, Query(description="Only sources of this status.")] = None,
) -> SourceList:
    """Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        page = await sources.page(session, corpus, cursor=place.cursor, limit=place.limit, status=status)
        current = await reliabilities.of_sources(session, corpus, [source.id for source in page.items])
    known = {standing.source_id: standing for standing in current.sources}
    items = [SourceWithReliability.joined(one, known[one.id], current.run) for one in page.items if one.id in known]
    return SourceList(items=items, next_cursor=page.next_cursor)


@router.get("/{source_id}", summary="Read a source", responses=reads())
async def get_source(access: Reading, source_id: SourceId) -> SourceWithReliability:
    """Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        return await _shown(session, corpus, await sources.get(session, corpus, source_id))


@router.patch("/{source_id}", summary="Change, pause or retire a source", responses=writes(problems.CONFLICT))
async def update_source(
    patch: Annotated[SourcePatch, examples.SOURCE_PATCH], access: Ingesting, source_id: SourceId
) -> SourceWithReliability:
    """What is left out stays. Needs the scope `ingest`."""
    async with access.begin() as (session, corpus):
        return await _shown(session, corpus, await sources.update(session, corpus, source_id, patch))


@router.delete("/{source_id}", status_code=204, summary="Delete a source", responses=reads(problems.CONFLICT))
async def delete_source(access: Ingesting, source_id: SourceId) -> None:
    """With its documents; refused while an estimation of the corpus is under way. Past estimations stay as they are.

    Needs the scope `ingest`.
    """
    async with access.begin() as (session, corpus):
        await sources.delete(session, corpus, source_id)


@router.get("/{source_id}/reliability", summary="Read what a source counts", responses=reads())
async def get_reliability(access: Reading, source_id: SourceId) -> ReliabilityView:
    """The operator's override, else the estimate of the current estimation. Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        current = await reliabilities.of_source(session, corpus, source_id)
    return ReliabilityView.of(current.sources[0], current.run)


@router.get("/{source_id}/reliability/history", summary="List the estimates of a source", responses=reads())
async def list_reliability_history(access: Reading, source_id: SourceId, place: InList) -> ReliabilityHistory:
    """One entry for each succeeded estimation. Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        page = await reliabilities.history(session, corpus, source_id, cursor=place.cursor, limit=place.limit)
    return ReliabilityHistory(items=[RunSourceView.of(row) for row in page.items], next_cursor=page.next_cursor)


@router.put("/{source_id}/override", summary="Set a reliability by hand", responses=writes())
async def set_override(
    given: Annotated[OverrideInput, examples.OVERRIDE], access: Administering, source_id: SourceId
) -> OverrideView:
    """Counts instead of every estimate until it is deleted. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        override = await sources.set_override(session, corpus, source_id, given, access.principal.name)
        return OverrideView.model_validate(override)


@router.delete("/{source_id}/override", status_code=204, summary="Let the estimate count again", responses=reads())
async def delete_override(access: Administering, source_id: SourceId) -> None:
    """Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        await sources.delete_override(session, corpus, source_id)


async def _shown(session: AsyncSession, corpus: Corpus, source: Source) -> SourceWithReliability:
    current = await reliabilities.of_source(session, corpus, source.id)
    return SourceWithReliability.joined(source, current.sources[0], current.run)
