"""The right answers of a query, set and undone on its page."""

from typing import Annotated

from fastapi import Form
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import CorpusAccess, IngestAccess
from api.http.routes.estimations import EstimationId
from api.http.routes.queries import EntryId, QueryId, undo_gold
from api.pages.rendering import address
from api.pages.visitors import page_router
from registry.keys.schemas import Scope
from registry.platform.enums import ActorKind
from registry.queries.schemas import Answer
from registry.queries.store import gold

router = page_router("/corpora/{corpus}/estimations/{estimation_id}/queries/{query_id}/gold")


@router.post("")
async def set_gold(
    access: IngestAccess,
    estimation_id: EstimationId,
    query_id: QueryId,
    answer: Annotated[Answer | None, Form()] = None,
    replace: Annotated[bool, Form()] = False,
) -> Response:
    """Add a right answer, have it replace the others, or remove them all where none is given."""
    if replace or answer is None:
        access.require(Scope.ADMIN)
    answers = [] if answer is None else [answer]
    async with access.begin() as (session, corpus):
        await gold.add(session, corpus, query_id, answers, replace=replace or answer is None, actor=ActorKind.BROWSER)
    return _back(access, estimation_id, query_id)


@router.post("/{entry_id}/undo")
async def undo(access: IngestAccess, estimation_id: EstimationId, query_id: QueryId, entry_id: EntryId) -> Response:
    """Give the query the right answers of before."""
    await undo_gold(access, query_id, entry_id)
    return _back(access, estimation_id, query_id)


def _back(access: CorpusAccess, estimation_id: EstimationId, query_id: QueryId) -> Response:
    goal = address("corpora", access.corpus_name, "estimations", estimation_id, "queries", query_id)
    return RedirectResponse(f"{goal}#gold", 303)
