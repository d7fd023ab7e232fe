"""Right answers set one query after the other, by keys: the disputed queries without one, the least certain first."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Form, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.http.dependencies import IngestAccess, ReadAccess
from api.http.routes.queries import EntryId, QueryId
from api.pages.positions import positions_of, quoted_votes, quotes_by_source
from api.pages.rendering import address, page
from api.pages.visitors import page_router
from registry.corpora.model import Corpus
from registry.disputes import store as disputes
from registry.estimations import store as estimations
from registry.estimations.explanation import explain_votes
from registry.platform.database.base import AsyncSession
from registry.platform.database.paging import encode_cursor
from registry.platform.enums import ActorKind
from registry.queries import store as queries
from registry.queries.model import GoldEntry
from registry.queries.model import Query as StoredQuery
from registry.queries.schemas import Answer
from registry.queries.store import gold
from registry.sources import reliabilities
from registry.sources.store import estimates
from registry.viewers.model import Viewer

router = page_router("/corpora/{corpus}/labels")
CHOICES = 9
"""Most choices: there are as many keys."""

Cursor = Annotated[str, Query(max_length=100)]
SentCursor = Annotated[str, Form(max_length=100)]


@dataclass(frozen=True, slots=True)
class LastLabel:
    """The label that was set before, to undo."""

    query: StoredQuery
    entry: GoldEntry
    back: str
    """The cursor at which its query is the next one."""


@router.get("")
async def show_next(
    request: Request,
    access: ReadAccess,
    cursor: Cursor = "",
    back: Cursor = "",
    last: Annotated[UUID | None, Query()] = None,
) -> Response:
    """The next query behind the cursor, with the answers of its sources and a quote for each."""
    positions, quotes, found, total = [], {}, None, 0
    async with access.begin() as (session, corpus):
        run = await estimates.current_run(session, corpus)
        if run is not None:
            total = await disputes.count(session, run, without_gold=True, viewer=access.viewer)
            listed = await disputes.page(
                session, run, without_gold=True, cursor=cursor or None, limit=1, viewer=access.viewer
            )
            found = next(iter(listed.items), None)
        if run is not None and found is not None:
            votes = await estimations.votes_of(session, run, found.query_id, access.viewer)
            current = await reliabilities.of_sources(session, corpus, [vote.source_id for vote in votes])
            positions = positions_of(votes, current.sources, found.answer)[:CHOICES]
            quotes = quotes_by_source(await explain_votes(session, quoted_votes(positions)))
        label = None if last is None else await _last_label(session, corpus, last, back, access.viewer)
    return page(
        request,
        "disputes/labels.html",
        corpus=corpus.name,
        run=run,
        query=found,
        positions=positions,
        quotes=quotes,
        total=total,
        cursor=cursor,
        next_cursor=encode_cursor(found.query_id) if found is not None else "",
        last=label,
    )


async def _last_label(
    session: AsyncSession, corpus: Corpus, query_id: UUID, back: str, viewer: Viewer
) -> LastLabel | None:
    query = await queries.get(session, corpus, query_id, viewer)
    entry = await gold.newest(session, query_id)
    return None if entry is None else LastLabel(query, entry, back)


@router.post("/{query_id}")
async def choose(
    access: IngestAccess, query_id: QueryId, answer: Annotated[Answer, Form()], cursor: SentCursor = ""
) -> Response:
    """Set the right answer of a query, and lead on to the next one."""
    async with access.begin() as (session, corpus):
        await gold.add(session, corpus, query_id, [answer], actor=ActorKind.BROWSER)
    here = address("corpora", access.corpus_name, "labels")
    following = urlencode({"cursor": encode_cursor(query_id), "last": query_id, "back": cursor})
    return RedirectResponse(f"{here}?{following}", 303)


@router.post("/{query_id}/undo/{entry_id}")
async def undo(access: IngestAccess, query_id: QueryId, entry_id: EntryId, back: SentCursor = "") -> Response:
    """Take the label back, and show its query again."""
    async with access.begin() as (session, corpus):
        await gold.undo(session, corpus, query_id, entry_id, only_own=access.only_own)
    here = address("corpora", access.corpus_name, "labels")
    return RedirectResponse(f"{here}?{urlencode({'cursor': back})}", 303)
