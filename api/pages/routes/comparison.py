"""Two sources side by side."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.pages.comparison import Comparison
from api.pages.paging import PageNumber, cut, page_count
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.corpora.model import Corpus
from registry.estimations import store as estimations
from registry.platform.database.base import AsyncSession
from registry.platform.errors import InvalidInput, NotFound
from registry.sources import reliabilities
from registry.sources import store as sources
from registry.sources.model import Source

router = page_router("/corpora/{corpus}/comparison")

PAGE_ROWS = 25
SUGGESTED = 20
Reference = Annotated[str, StringConstraints(max_length=500)]


@router.get("")
async def compare(
    request: Request,
    access: ReadAccess,
    source: Annotated[list[Reference], Query(max_length=50)] = [],  # noqa: B006  (FastAPI copies it)
    number: PageNumber = 1,
) -> Response:
    """The first two sources that are named, by external id, id, name or the only name with that part in it.

    Without two of them the form that takes them, and the names that are meant where there are several.
    """
    references = [reference.strip() for reference in source if reference.strip()]
    comparison, run = None, None
    async with access.begin() as (session, corpus):
        named = [await _named(session, corpus, reference) for reference in references[:2]]
        chosen = [found[0] for found in named if len(found) == 1]
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
        references=references[:2],
        named=named,
        chosen=chosen,
        too_many=len(references) > 2,
        comparison=comparison,
        differing=differing,
        shown=shown,
        number=number,
        pages=page_count(len(differing), PAGE_ROWS),
    )


async def _named(session: AsyncSession, corpus: Corpus, reference: str) -> Sequence[Source]:
    """The source of this reference, else those whose names have it in them."""
    try:
        return [await sources.find(session, corpus, reference)]
    except (NotFound, InvalidInput):
        return await sources.named_like(session, corpus, reference, SUGGESTED)
