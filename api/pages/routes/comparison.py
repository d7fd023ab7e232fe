"""Two sources side by side."""

from typing import Annotated

from fastapi import Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.pages.comparison import Comparison
from api.pages.paging import PageNumber, cut, page_count
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.estimations import store as estimations
from registry.sources import reliabilities
from registry.sources import store as sources

router = page_router("/corpora/{corpus}/comparison")

PAGE_ROWS = 25
Reference = Annotated[str, StringConstraints(max_length=500)]


@router.get("")
async def compare(
    request: Request,
    access: ReadAccess,
    source: Annotated[list[Reference], Query(max_length=50)] = [],  # noqa: B006  (FastAPI copies it)
    number: PageNumber = 1,
) -> Response:
    """The first two sources that are named, by external id, id or name; without two, the form that takes them."""
    references = [reference.strip() for reference in source if reference.strip()]
    comparison, run = None, None
    async with access.begin() as (session, corpus):
        chosen = [await sources.find(session, corpus, reference) for reference in references[:2]]
        ids = list(dict.fromkeys(item.id for item in chosen))
        if len(ids) == 2:
            current = await reliabilities.of_sources(session, corpus, ids)
            run = current.run
            votes = [
                await estimations.votes_of_source(session, run, source_id, access.viewer) if run else []
                for source_id in ids
            ]
            comparison = Comparison.of(current, ids, votes)
    differing = comparison.differing if comparison else []
    shown, number = cut(differing, number, PAGE_ROWS)
    return page(
        request,
        "sources/comparison.html",
        corpus=corpus.name,
        run=run,
        chosen=chosen,
        too_many=len(references) > 2,
        comparison=comparison,
        differing=differing,
        shown=shown,
        number=number,
        pages=page_count(len(differing), PAGE_ROWS),
    )
