"""The list of corpora, where every visit begins."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import PageParameters, ReadAccess, ReadCaller
from api.http.routes.corpora import list_corpora
from api.pages.rendering import address, page
from api.pages.visitors import VISITORS

router = APIRouter(dependencies=VISITORS)
item = APIRouter(prefix="/corpora/{corpus}", dependencies=VISITORS)


@router.get("/")
async def show_start() -> Response:
    """Lead on to the corpora."""
    return RedirectResponse(address("corpora"), 303)


@router.get("/corpora")
async def show_corpora(request: Request, caller: ReadCaller, paging: PageParameters) -> Response:
    """All corpora that the visitor may see."""
    return page(request, "corpora.html", corpora=await list_corpora(caller, paging))


@item.get("")
async def show_corpus(access: ReadAccess) -> Response:
    """Lead on to the sources of a corpus."""
    corpus = await access.corpus()
    return RedirectResponse(address("corpora", corpus.name, "sources"), 303)
