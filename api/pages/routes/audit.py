"""The audit log of a corpus, or of all."""

from fastapi import Request
from starlette.responses import Response

from api.http.dependencies import AdminAccess, OperatorCaller, PageParameters
from api.http.routes.audit import list_changes, list_corpus_changes
from api.pages.audit_wording import subjects
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.viewers.model import ALL_SEEING
from registry.viewers.store import names_of

of_corpus = page_router("/corpora/{corpus}/audit")
of_all = page_router("/operations/audit")


@of_corpus.get("")
async def show_corpus_changes(request: Request, access: AdminAccess, paging: PageParameters) -> Response:
    """Who changed what in a corpus."""
    log = await list_corpus_changes(access, paging)
    async with access.begin() as (session, _):
        names = await names_of(session, subjects(log), access.viewer)
    here = address("corpora", access.corpus_name, "audit")
    return page(request, "service/audit.html", corpus=access.corpus_name, here=here, log=log, names=names)


@of_all.get("")
async def show_changes(request: Request, caller: OperatorCaller, paging: PageParameters) -> Response:
    """Who changed what anywhere."""
    log = await list_changes(caller, paging)
    async with caller.runtime.database.begin() as session:
        names = await names_of(session, subjects(log), ALL_SEEING)
    return page(request, "service/audit.html", here=address("operations", "audit"), log=log, names=names)
