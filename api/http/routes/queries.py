"""Queries, their right answers, and wordings of an answer that people joined."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request, Response

from api.http.dependencies import PROTECTED, AdminAccess, CorpusAccess, IngestAccess, PageParameters, ReadAccess
from api.http.openapi import examples
from api.http.openapi.responses import RETRY_AFTER, accepted, created, importing
from api.http.schemas.queries import (
    GenerationList,
    GenerationView,
    GoldChangeView,
    GoldEntryList,
    GoldEntryView,
    JoinList,
    JoinView,
    QueryList,
    QueryView,
)
from api.http.streaming.request_lines import import_lines
from api.http.streaming.result_lines import ResultLines
from registry.documents import imports
from registry.estimations.gold_effect import gold_effect
from registry.keys.schemas import Scope
from registry.platform.enums import QueryOrigin, RunStatus
from registry.platform.fields import Question
from registry.queries import store as queries
from registry.queries.lines import QueryFormat, converted
from registry.queries.schemas import GoldInput, JoinInput, QueryInput, QueryPatch
from registry.queries.store import gold, joined_answers
from registry.query_generations import service as query_generation
from registry.query_generations import store as generations
from registry.query_generations.schemas import GenerationParameters

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["queries"], dependencies=PROTECTED)

QueryId = Annotated[UUID, Path(description="Identifier of the query.")]
GenerationId = Annotated[UUID, Path(description="Identifier of the generation.")]
POLL_SECONDS = "2"
GENERATION_DEFAULTS = GenerationParameters()
EntryId = Annotated[UUID, Path(description="Identifier of the entry.")]
_FORMATS = {"text/plain": QueryFormat.LINES, "text/csv": QueryFormat.CSV}
_PLAIN = ("One question a line.", "Where was it announced?\nWhen was it announced?\n")
_CSV = (
    "A header with `text`, and if wanted `external_id`, `gold_answers` (`|` between several), `topic`; a query a row.",
    "text,gold_answers\nWhere was it announced?,Oslo|Kristiania\n",
)
_LINES = (
    '{"external_id":"q-1","text":"Where was it announced?"}\n{"external_id":"q-2","text":"When was it announced?"}\n'
)


@router.post(
    "/queries",
    status_code=201,
    summary="Add a query",
    responses={201: created("It is new."), 200: {**created("It was there already."), "model": QueryView}},
)
async def create_query(
    body: Annotated[QueryInput, examples.QUERY], access: IngestAccess, response: Response
) -> QueryView:
    """Replaces the query with the same `external_id`. Needs the scope `ingest`; without `admin` a query that is there
    keeps the right answers that it has, and whether estimations use it.
    """
    async with access.begin() as (session, corpus):
        query, created = await queries.create(session, corpus, body, keep_verdicts=_keeps_verdicts(access))
        view = QueryView.model_validate(query)
    response.headers["Location"] = access.path("queries", query.id)
    response.status_code = 201 if created else 200
    return view


@router.post(
    "/queries:import",
    summary="Add many queries",
    **importing("QueryInput", _LINES, plain=_PLAIN, csv=_CSV),
)
async def import_queries(request: Request, access: IngestAccess) -> ResultLines:
    """NDJSON, a query a line; `text/plain`, a question a line; or `text/csv` with a header. Also gzipped; answered with
    a result a line. A bad line does not touch the others; what is no CSV or no UTF-8 ends the import there.

    Needs the scope `ingest`; without `admin` queries that are there keep the right answers that they have, and whether
    estimations use them.
    """
    lines = import_lines(request, access.runtime.settings, tuple(_FORMATS))
    corpus, convert = await access.corpus(), _FORMATS.get(lines.media_type, QueryFormat.NDJSON).converter()
    take = partial(imports.import_queries, access.runtime, corpus, keep_verdicts=_keeps_verdicts(access))
    return ResultLines(lines, lambda sent: take(converted(sent, convert)))


@router.post(
    "/queries:generate",
    status_code=202,
    summary="Write queries from the documents",
    responses={202: accepted("It is queued.")},
)
async def generate_queries(
    access: IngestAccess,
    response: Response,
    body: Annotated[GenerationParameters, examples.GENERATION] = GENERATION_DEFAULTS,
) -> GenerationView:
    """Looks in documents for facts that several sources state, and adds a question that each of them answers. Goes on
    behind the documents and sentences of earlier generations. Poll the address in Location; `GET /queries` with
    `origin=generated` lists what came of it.
    """
    generation = await query_generation.start(access.runtime, await access.corpus(), body)
    response.headers["Location"] = access.path("query-generations", generation.id)
    response.headers["Retry-After"] = POLL_SECONDS
    return GenerationView.model_validate(generation)


@router.get("/query-generations", summary="List generations of queries")
async def list_generations(access: ReadAccess, paging: PageParameters) -> GenerationList:
    async with access.begin() as (session, corpus):
        page = await generations.page(session, corpus, cursor=paging.cursor, limit=paging.limit)
    return GenerationList.of(page, GenerationView.model_validate)


@router.get(
    "/query-generations/{generation_id}",
    summary="Read a generation of queries",
    responses={200: {"description": "With Retry-After while it goes on.", "headers": RETRY_AFTER}},
)
async def get_generation(access: ReadAccess, generation_id: GenerationId, response: Response) -> GenerationView:
    """Whether it failed, and why, is in the body."""
    async with access.begin() as (session, corpus):
        generation = await generations.get(session, corpus, generation_id)
    if not RunStatus(generation.status).ended:
        response.headers["Retry-After"] = POLL_SECONDS
    return GenerationView.model_validate(generation)


@router.get("/queries", summary="List queries")
async def list_queries(
    access: ReadAccess,
    paging: PageParameters,
    active: Annotated[
        bool | None, Query(description="Only queries that estimations use, or only those that they do not use.")
    ] = None,
    origin: Annotated[QueryOrigin | None, Query(description="Only queries that came from there.")] = None,
) -> QueryList:
    async with access.begin() as (session, corpus):
        page = await queries.page(
            session,
            corpus,
            cursor=paging.cursor,
            limit=paging.limit,
            active=active,
            origin=origin,
            viewer=access.viewer,
        )
    return QueryList.of(page, lambda query: QueryView.of(query, access.viewer))


@router.get("/queries/{query_id}", summary="Read a query")
async def get_query(access: ReadAccess, query_id: QueryId) -> QueryView:
    async with access.begin() as (session, corpus):
        return QueryView.of(await queries.get(session, corpus, query_id, access.viewer), access.viewer)


@router.patch("/queries/{query_id}", summary="Change or switch off a query")
async def update_query(
    patch: Annotated[QueryPatch, examples.QUERY_PATCH], access: AdminAccess, query_id: QueryId
) -> QueryView:
    """Fields that you leave out stay."""
    async with access.begin() as (session, corpus):
        return QueryView.model_validate(await queries.update(session, corpus, query_id, patch))


@router.delete("/queries/{query_id}", status_code=204, summary="Delete a query")
async def delete_query(access: AdminAccess, query_id: QueryId) -> None:
    """Past estimations keep its results."""
    async with access.begin() as (session, corpus):
        await queries.delete(session, corpus, query_id)


@router.post("/queries/{query_id}/gold", summary="Set right answers")
async def set_gold(
    body: Annotated[GoldInput, examples.GOLD], access: IngestAccess, query_id: QueryId
) -> GoldChangeView:
    """Adds to those that are there, unless told to replace them. Needs the scope `ingest`, to replace `admin`."""
    if body.replace:
        access.require(Scope.ADMIN)
    async with access.begin() as (session, corpus):
        query, before, entry = await gold.add(session, corpus, query_id, body.answers, replace=body.replace)
        effect = await gold_effect(session, corpus, query, before, query.gold_answers)
        return GoldChangeView.of(query, before, entry, effect)


@router.get("/queries/{query_id}/gold", summary="List the changes of right answers")
async def list_gold(access: ReadAccess, paging: PageParameters, query_id: QueryId) -> GoldEntryList:
    """The newest first."""
    async with access.begin() as (session, corpus):
        page = await gold.page(
            session, corpus, query_id, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
    return GoldEntryList.of(page, GoldEntryView.model_validate)


@router.post("/queries/{query_id}/gold/{entry_id}:undo", summary="Undo a change of right answers")
async def undo_gold(access: IngestAccess, query_id: QueryId, entry_id: EntryId) -> GoldChangeView:
    """Gives the query the right answers of before. Changes are undone from the newest on. Needs the scope `ingest`, for
    changes of others `admin`.
    """
    async with access.begin() as (session, corpus):
        query, before, entry = await gold.undo(session, corpus, query_id, entry_id, only_own=access.only_own)
        effect = await gold_effect(session, corpus, query, before, query.gold_answers)
        return GoldChangeView.of(query, before, entry, effect)


def _keeps_verdicts(access: CorpusAccess) -> bool:
    return not access.principal.may(Scope.ADMIN)


joins = APIRouter(prefix="/v1/corpora/{corpus}/joined-answers", tags=["queries"], dependencies=PROTECTED)

JoinId = Annotated[UUID, Path(description="Identifier of the join.")]


@joins.post("", status_code=201, summary="Join wordings of an answer", responses={201: created("They are joined.")})
async def join_answers(body: Annotated[JoinInput, examples.JOIN], access: IngestAccess, response: Response) -> JoinView:
    """Makes them one answer to this question: in answers, consensus and evaluations at once, and in estimations from
    the next one on. Answers that were given stay as they are.
    """
    async with access.begin() as (session, corpus):
        view = JoinView.model_validate(await joined_answers.add(session, corpus, body))
    response.headers["Location"] = access.path("joined-answers", view.id)
    return view


@joins.get("", summary="List joined wordings")
async def list_joins(
    access: ReadAccess,
    paging: PageParameters,
    question: Annotated[Question | None, Query(description="Only those of this question.")] = None,
) -> JoinList:
    """Returns the joins in force; none for keys that do not see everything."""
    async with access.begin() as (session, corpus):
        page = await joined_answers.page(
            session, corpus, question=question, cursor=paging.cursor, limit=paging.limit, viewer=access.viewer
        )
    return JoinList.of(page, JoinView.model_validate)


@joins.delete("/{join_id}", status_code=204, summary="Undo a join of wordings")
async def undo_join(access: IngestAccess, join_id: JoinId) -> None:
    """The wordings are different answers again, unless another join holds them together. Needs the scope `ingest`, for
    joins of others `admin`.
    """
    async with access.begin() as (session, corpus):
        await joined_answers.undo(session, corpus, join_id, only_own=access.only_own)
