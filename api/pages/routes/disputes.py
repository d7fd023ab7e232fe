"""Queries on which sources disagree, the sides of each, and the right answer set by a person."""

from typing import Annotated

from fastapi import Form, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import IngestAccess, ReadAccess
from api.http.routes.estimations import EstimationId
from api.http.routes.queries import QueryId, update_query
from api.pages.paging import PageNumber, page_count
from api.pages.rendering import address, page
from api.pages.sides import sides_of
from api.pages.visitors import page_router
from registry.errors import NotFound
from registry.inputs.queries import Answer, QueryPatch
from registry.store import estimations, queries, reliabilities

router = page_router("/corpora/{corpus}/disputes")
query = page_router("/corpora/{corpus}/estimations/{estimation_id}/queries/{query_id}")

PAGE_ROWS = 50


@router.get("")
async def show_disputes(request: Request, access: ReadAccess, number: PageNumber = 1) -> Response:
    """The disputed queries of the current run, least certain first."""
    async with access.begin() as (session, corpus):
        run = await reliabilities.current_run(session, corpus)
        offset = (number - 1) * PAGE_ROWS
        rows, total = await estimations.disputes_of(session, run, offset=offset, limit=PAGE_ROWS) if run else ([], 0)
    return page(
        request,
        "disputes/disputes.html",
        corpus=corpus.name,
        run=run,
        disputes=rows,
        total=total,
        number=number,
        pages=page_count(total, PAGE_ROWS),
    )


@query.get("")
async def show_query(request: Request, access: ReadAccess, estimation_id: EstimationId, query_id: QueryId) -> Response:
    """A query of a run with the sources on each side."""
    async with access.begin() as (session, corpus):
        run = await estimations.get(session, corpus, estimation_id)
        run_query = await estimations.query_of(session, run, query_id)
        votes = await estimations.votes_of(session, run, query_id)
        current = await reliabilities.of_sources(session, corpus, [vote.source_id for vote in votes])
        try:
            gold = (await queries.get(session, corpus, query_id)).gold_answers or []
        except NotFound:
            gold = None
    sides = sides_of(votes, current.sources, run_query.answer)
    return page(
        request,
        "disputes/query.html",
        corpus=corpus.name,
        run=run,
        query=run_query,
        sides=sides,
        gold=gold,
        voters=len(votes),
    )


@query.post("/gold")
async def set_gold(
    access: IngestAccess,
    estimation_id: EstimationId,
    query_id: QueryId,
    answer: Annotated[Answer | None, Form()] = None,
) -> Response:
    """Set the right answer of the query, or remove it."""
    await update_query(QueryPatch(gold_answers=None if answer is None else [answer]), access, query_id)
    goal = address("corpora", access.corpus_name, "estimations", estimation_id, "queries", query_id)
    return RedirectResponse(goal, 303)
