"""Passages of all sources on a question, without an answer."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from api.http.dependencies import ReadAccess
from api.http.routes.search import search_passages
from api.pages.rendering import page
from api.pages.visitors import page_router
from registry.platform.fields import Question
from registry.search.schemas import SearchInput

router = page_router("/corpora/{corpus}/search")

HITS_SHOWN = 20


@router.get("")
async def show_search(
    request: Request, access: ReadAccess, query: Annotated[Question | None, Query()] = None
) -> Response:
    """The form, and the passages that fit best."""
    hits = (await search_passages(SearchInput(query=query, limit=HITS_SHOWN), access)).items if query else []
    return page(request, "sources/search.html", corpus=access.corpus_name, query=query or "", hits=hits)
