"""Queries: unlabelled questions that reliability is estimated with."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request, Response

from api.http import examples, problems
from api.http.dependencies import JSON, KEY, Ingesting, InList, Reading
from api.http.describe import gives_ndjson, made, posts, reads, takes_ndjson, writes
from api.http.schemas.queries import QueryList, QueryView
from api.http.streaming.request_lines import import_lines
from api.http.streaming.result_lines import ResultLines
from registry import ingest
from registry.inputs.queries import QueryInput, QueryPatch
from registry.store import queries

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["queries"], dependencies=[KEY, JSON])

QueryId = Annotated[UUID, Path(description="Identifier of the query.")]
_LINES = (
    '{"external_id":"q-1","text":"Where was it announced?"}\n{"external_id":"q-2","text":"When was it announced?"}\n'
)


@router.post(
    "/queries",
    status_code=201,
    summary="Add a query",
    responses={201: made("It is new."), 200: {**made("It was there already."), "model": QueryView}, **posts()},
)
async def create_query(
    given: Annotated[QueryInput, examples.QUERY], access: Ingesting, response: Response
) -> QueryView:
    """Replaces the query with the same `external_id`. Needs the scope `ingest`."""
    async with access.begin() as (session, corpus):
        query, created = await queries.create(session, corpus, given)
        view = QueryView.model_validate(query)
    response.headers["Location"] = access.path("queries", query.id)
    response.status_code = 201 if created else 200
    return view


@router.post(
    "/queries:import",
    summary="Add many queries",
    responses={200: gives_ndjson(), **writes()},
    openapi_extra=takes_ndjson("QueryInput", _LINES),
    status_code=200,
    response_class=ResultLines,
    response_model=None,
)
async def import_queries(request: Request, access: Ingesting) -> ResultLines:
    """NDJSON, a query a line, also gzipped; answered with a result a line. A bad line does not touch the others.

    Needs the scope `ingest`.
    """
    lines = import_lines(request, access.runtime.settings)
    return ResultLines(lines, partial(ingest.import_queries, access.runtime, await access.corpus()))


@router.get("/queries", summary="List queries", responses=reads())
async def list_queries(
    access: Reading,
    place: InList,
    active: Annotated[bool | None, Query(description="Only those that estimations ask, or do not ask.")] = None,
) -> QueryList:
    """Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        page = await queries.page(session, corpus, cursor=place.cursor, limit=place.limit, active=active)
    return QueryList(items=[QueryView.model_validate(query) for query in page.items], next_cursor=page.next_cursor)


@router.get("/queries/{query_id}", summary="Read a query", responses=reads())
async def get_query(access: Reading, query_id: QueryId) -> QueryView:
    """Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        return QueryView.model_validate(await queries.get(session, corpus, query_id))


@router.patch("/queries/{query_id}", summary="Change or switch off a query", responses=writes(problems.CONFLICT))
async def update_query(
    patch: Annotated[QueryPatch, examples.QUERY_PATCH], access: Ingesting, query_id: QueryId
) -> QueryView:
    """What is left out stays. Needs the scope `ingest`."""
    async with access.begin() as (session, corpus):
        return QueryView.model_validate(await queries.update(session, corpus, query_id, patch))


@router.delete("/queries/{query_id}", status_code=204, summary="Delete a query", responses=reads())
async def delete_query(access: Ingesting, query_id: QueryId) -> None:
    """Past estimations keep what they found about it. Needs the scope `ingest`."""
    async with access.begin() as (session, corpus):
        await queries.delete(session, corpus, query_id)
