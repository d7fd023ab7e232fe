"""The league table of sources."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.pages.league_table import Column, LeagueQuery, league_page
from api.pages.rendering import page
from api.pages.routes.beginning import show_steps
from api.pages.visitors import page_router
from registry.estimations.model import EstimationRun
from registry.estimations.store.estimates import changes_between
from registry.estimations.store.votes import previous_run
from registry.platform.database.base import AsyncSession
from registry.sources import reliabilities

router = page_router("/corpora/{corpus}/sources")


@router.get("")
async def show_sources(request: Request, access: ReadAccess, query: Annotated[LeagueQuery, Query()]) -> Response:
    """Every source with its reliability and where it comes from; of a corpus without any, how to begin."""
    async with access.begin() as (session, corpus):
        current = await reliabilities.of_sources(session, corpus)
        previous = await previous_run(session, current.run) if current.run else None
        # No run keeps how it differs from another one on a topic.
        before = previous if query.topic == "all" else None
        # The changes of all sources take time, and are needed only to sort by them.
        everywhere = await _changes(session, current.run, before) if query.sort is Column.CHANGE else {}
        table = league_page(current, everywhere, query)
        changes = everywhere or await _changes(session, current.run, before, table.source_ids)
    if not current.sources:
        return await show_steps(request, access)
    return page(
        request,
        "sources/sources.html",
        corpus=corpus.name,
        table=table,
        changes=changes,
        dissenting=current.run.joint_dissent_of() if current.run else {},
        run=current.run,
        reader_note=access.runtime.reader_change(current.run.reader if current.run else None),
        previous=previous,
        query=query.model_dump(exclude={"page"}),
        total=len(current.sources),
    )


async def _changes(
    session: AsyncSession,
    run: EstimationRun | None,
    previous: EstimationRun | None,
    source_ids: Sequence[UUID] | None = None,
) -> dict[UUID, float]:
    return await changes_between(session, run, previous, source_ids) if run and previous else {}
