"""The league table of sources."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.pages.league_table import Column, Show, league_page, league_rows
from api.pages.paging import PageNumber
from api.pages.rendering import page
from api.pages.routes.beginning import show_steps
from api.pages.visitors import page_router
from registry.models import SourceStatus
from registry.store import reliabilities

router = page_router("/corpora/{corpus}/sources")


@router.get("")
async def show_sources(
    request: Request,
    access: ReadAccess,
    text: Annotated[str, Query(max_length=500)] = "",
    show: Show = Show.ALL,
    sort: Column = Column.RELIABILITY,
    descending: bool = True,
    number: PageNumber = 1,
) -> Response:
    """Every source with its reliability and where it comes from; of a corpus without any, how to begin."""
    async with access.begin() as (session, corpus):
        current = await reliabilities.current_reliabilities(session, corpus, statuses=tuple(SourceStatus))
        previous = await reliabilities.previous_run(session, current.run) if current.run else None
        changes = await reliabilities.changes(session, current.run, previous) if current.run and previous else {}
    if not current.sources:
        return await show_steps(request, access)
    rows = league_rows(current, changes)
    table = league_page(rows, text=text, show=show, sort=sort, descending=descending, number=number)
    query = {"text": text, "show": show, "sort": sort, "descending": descending}
    return page(
        request,
        "sources/sources.html",
        corpus=corpus.name,
        table=table,
        run=current.run,
        previous=previous,
        query=query,
        total=len(rows),
    )
