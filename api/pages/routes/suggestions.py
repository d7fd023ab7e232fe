"""Queries: those written from documents, those that were asked, or all, to use, word otherwise or throw out."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from fastapi import Form, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import AdminAccess, CorpusAccess, IngestAccess, PageParameters, ReadAccess
from api.http.schemas.base import ListView
from api.http.schemas.queries import GenerationView, QueryView
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.platform.enums import QueryOrigin
from registry.platform.fields import Question
from registry.queries import store as queries
from registry.queries.schemas import QueryPatch
from registry.query_generations import service as query_generation
from registry.query_generations import store
from registry.query_generations.schemas import GenerationParameters

router = page_router("/corpora/{corpus}/suggestions")


class Choice(StrEnum):
    """The action on the queries that are ticked."""

    USE = "use"
    PAUSE = "pause"
    THROW_OUT = "throw out"


class Shown(StrEnum):
    """The queries that are listed."""

    GENERATED = "generated"
    ASKED = "asked"
    ALL = "all"


SentShown = Annotated[Shown, Form()]


@router.get("")
async def show_suggestions(
    request: Request, access: ReadAccess, paging: PageParameters, shown: Shown = Shown.GENERATED
) -> Response:
    """Queries with their origin, the oldest first."""
    origin = None if shown is Shown.ALL else QueryOrigin(shown)
    async with access.begin() as (session, corpus):
        listed = await queries.page(
            session, corpus, cursor=paging.cursor, limit=paging.limit, origin=origin, viewer=access.viewer
        )
        generation = await store.newest(session, corpus)
    return page(
        request,
        "corpora/suggestions.html",
        corpus=corpus.name,
        queries=ListView[QueryView].of(listed, lambda query: QueryView.of(query, access.viewer)),
        generation=generation and GenerationView.model_validate(generation),
        shown=shown,
        lists=list(Shown),
        choices=list(Choice),
    )


@router.post("")
async def generate(access: IngestAccess, queries: Annotated[int, Form(ge=1, le=10_000)] = 100) -> Response:
    """Queue a generation whose queries wait until somebody makes them active."""
    parameters = GenerationParameters(queries=queries, active=False)
    await query_generation.start(access.runtime, await access.corpus(), parameters)
    return _list(access, Shown.GENERATED)


@router.post("/chosen")
async def choose(
    access: AdminAccess,
    choice: Annotated[Choice, Form()],
    query: Annotated[list[UUID] | None, Form()] = None,
    shown: SentShown = Shown.GENERATED,
) -> Response:
    """Use the queries that are ticked, use them no more, or throw them out."""
    async with access.begin() as (session, corpus):
        for query_id in query or []:
            if choice is Choice.THROW_OUT:
                await queries.delete(session, corpus, query_id)
            else:
                await queries.update(session, corpus, query_id, QueryPatch(active=choice is Choice.USE))
    return _list(access, shown)


@router.post("/{query_id}")
async def reword(
    access: AdminAccess, query_id: UUID, text: Annotated[Question, Form()], shown: SentShown = Shown.GENERATED
) -> Response:
    """Word a query otherwise, and use it."""
    async with access.begin() as (session, corpus):
        await queries.update(session, corpus, query_id, QueryPatch(text=text, active=True))
    return _list(access, shown)


def _list(access: CorpusAccess, shown: Shown) -> Response:
    return RedirectResponse(f"{address('corpora', access.corpus_name, 'suggestions')}?shown={shown}#list", 303)
