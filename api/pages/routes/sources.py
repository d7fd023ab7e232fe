"""The league table of sources."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.pages.league_table import league_rows, on_topic
from api.pages.rendering import page
from api.pages.routes.beginning import show_steps
from api.pages.visitors import page_router
from registry.estimations.store.estimates import changes_between
from registry.estimations.store.league import league
from registry.estimations.store.votes import previous_run
from registry.sources import reliabilities
from registry.sources.schemas import LeagueQuery
from registry.sources.store.estimates import current_run

router = page_router("/corpora/{corpus}/sources")


@router.get("")
async def show_sources(request: Request, access: ReadAccess, query: Annotated[LeagueQuery, Query()]) -> Response:
    """Every source with its reliability and where it comes from; of a corpus without any, how to begin."""
    async with access.begin() as (session, corpus):
        run = await current_run(session, corpus)
        previous = await previous_run(session, run) if run else None
        # No run keeps how it differs from another one on a topic.
        before = previous if query.topic == "all" else None
        table = await league(session, corpus, run, before, query)
        current = await reliabilities.of_sources(session, corpus, table.source_ids)
        changes = await changes_between(session, run, before, table.source_ids) if run and before else {}
    if not table.everywhere:
        return await show_steps(request, access)
    known = {source.source_id: source for source in current.sources}
    shown = [known[source_id] for source_id in table.source_ids if source_id in known]
    topic = None
    if run and query.topic != "all":
        shown = on_topic(shown, query.topic)
        topic = run.topics[query.topic]["query_count"] if query.topic < len(run.topics) else None
    return page(
        request,
        "sources/sources.html",
        corpus=corpus.name,
        table=table,
        rows=league_rows(run, shown, topic),
        changes=changes,
        dissenting=run.joint_dissent_of() if run else {},
        run=run,
        reader_note=access.runtime.reader_change(run.reader if run else None),
        previous=previous,
        query=query.model_dump(exclude={"page"}),
        total=table.everywhere,
    )
