"""The list of corpora, where every visit begins."""

from fastapi import Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.demo import load as demo
from api.http.authorization import principal_of
from api.http.dependencies import PageParameters, ReadCaller, runtime_of
from api.http.routes.corpora import list_corpora
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.corpora import store as corpora
from registry.corpora.schemas import TextSearch
from registry.keys.schemas import Scope

router = page_router()


@router.get("/")
async def show_start(request: Request) -> Response:
    """Lead on to the corpora, or to the questions of its corpus with a key that may ask but not read."""
    principal = principal_of(request.scope)
    if principal.corpus_id is None or principal.may(Scope.READ) or not principal.may(Scope.ASK):
        return RedirectResponse(address("corpora"), 303)
    async with runtime_of(request).database.begin() as session:
        corpus = await corpora.get_by_id(session, principal.corpus_id)
    return RedirectResponse(address("corpora", corpus.name, "answers"), 303)


@router.get("/corpora")
async def show_corpora(request: Request, caller: ReadCaller, paging: PageParameters) -> Response:
    """All corpora that the visitor may see."""
    listed = await list_corpora(caller, paging)
    has_demo = any(corpus.name == demo.NAME for corpus in listed.items)
    return page(
        request,
        "corpora/corpora.html",
        corpora=listed,
        text_searches=list(TextSearch),
        demo_corpus=demo.NAME if has_demo else None,
    )
