"""Votes that were imported, which nothing was read for."""

from fastapi import Request
from starlette.responses import Response

from api.http.dependencies import PageParameters, ReadAccess
from api.http.routes.votes import OfQuery, OfSource, list_imported_votes
from api.pages.rendering import page
from api.pages.visitors import page_router

router = page_router("/corpora/{corpus}/votes")


@router.get("")
async def show_votes(
    request: Request, access: ReadAccess, paging: PageParameters, query: OfQuery = None, source: OfSource = None
) -> Response:
    """The votes, the oldest first, of a source or on a query where one is named."""
    async with access.begin() as (_, corpus):
        name = corpus.name
    listed = await list_imported_votes(access, paging, query or None, source or None)
    return page(request, "corpora/votes.html", corpus=name, votes=listed, query=query or "", source=source or "")
