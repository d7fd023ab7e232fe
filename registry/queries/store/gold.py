"""The gold answers of queries in the database: what changes them is an entry in a history, and can be undone."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.events import audit
from registry.platform.database.paging import Page, paginate
from registry.platform.database.rows import get_row, lock_for_update
from registry.platform.enums import ActorKind, AuditAction
from registry.platform.errors import Conflict, Forbidden, InvalidInput, NotFound
from registry.queries.model import GoldEntry, JoinedAnswers, Query
from registry.queries.schemas import MAX_GOLD_ANSWERS
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_queries


async def add(
    session: AsyncSession,
    corpus: Corpus,
    query_id: UUID,
    answers: Sequence[str],
    *,
    replace: bool = False,
    actor: ActorKind | None = None,
) -> tuple[Query, list[str] | None, GoldEntry | None]:
    """Add right answers to those of the query, or `replace` these.

    Returns the query, its answers of before, and the entry; there is none where nothing changes. `actor` is that
    of the audit log by default.
    """
    query = await _locked(session, corpus, query_id)
    before = query.gold_answers
    after = list(dict.fromkeys([*(() if replace else before or ()), *answers])) or None
    if after is not None and len(after) > MAX_GOLD_ANSWERS:
        raise InvalidInput(f"A query has at most {MAX_GOLD_ANSWERS} right answers.", field="answers")
    query.gold_answers = after
    entry = record(session, corpus, query_id, before, after, actor=actor)
    await session.flush()
    await session.refresh(query)
    return query, before, entry


async def undo(
    session: AsyncSession, corpus: Corpus, query_id: UUID, entry_id: UUID, *, only_own: bool = False
) -> tuple[Query, list[str] | None, GoldEntry]:
    """Give the query the answers that it had before an entry; returns as `add` does.

    Raises `NotFound`, `Conflict` for an entry that is undone or that one follows which is not, and with `only_own`
    `Forbidden` for one that the API key of the request did not make.
    """
    query = await _locked(session, corpus, query_id)
    entry = await session.get(GoldEntry, entry_id)
    if entry is None or entry.query_id != query_id:
        raise NotFound("entry of the gold answers", entry_id)
    if only_own:
        require_own(entry)
    if entry.undone_at is not None:
        raise Conflict("This entry is undone already.")
    later = await newest(session, query_id)
    if later is not None and later.id != entry_id:
        raise Conflict(
            f"The right answers were changed after this entry. Undo {later.id} first.",
            location=f"/v1/corpora/{corpus.name}/queries/{query_id}/gold",
        )
    before = query.gold_answers
    _record_event(session, corpus, query_id, before, entry.answers_before)
    query.gold_answers = entry.answers_before
    entry.undone_at = func.now()
    await session.flush()
    await session.refresh(query)
    await session.refresh(entry)
    return query, before, entry


def require_own(verdict: GoldEntry | JoinedAnswers) -> None:
    """Raise `Forbidden` where another API key made it, or none."""
    if verdict.key_id is None or verdict.key_id != audit.current_actor.get().key_id:
        raise Forbidden("This was set by somebody else. Undoing it needs an API key with the scope `admin`.")


async def page(
    session: AsyncSession,
    corpus: Corpus,
    query_id: UUID,
    *,
    cursor: str | None = None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> Page[GoldEntry]:
    """The entries of a query, the newest first."""
    await get_row(session, Query, corpus.id, query_id, *visible_queries(viewer))
    rows = select(GoldEntry).where(GoldEntry.query_id == query_id)
    return await paginate(session, rows, GoldEntry.id, cursor=cursor, limit=limit, newest_first=True)


async def newest(session: AsyncSession, query_id: UUID) -> GoldEntry | None:
    """The last entry of a query that is not undone."""
    rows = select(GoldEntry).where(GoldEntry.query_id == query_id, GoldEntry.undone_at.is_(None))
    return (await session.scalars(rows.order_by(GoldEntry.id.desc()).limit(1))).first()


def record(
    session: AsyncSession,
    corpus: Corpus,
    query_id: UUID,
    before: list[str] | None,
    after: list[str] | None,
    *,
    actor: ActorKind | None = None,
) -> GoldEntry | None:
    """Write an entry, if the gold answers changed, of a query that the transaction has locked."""
    if before == after:
        return None
    _record_event(session, corpus, query_id, before, after)
    current = audit.current_actor.get()
    entry = GoldEntry(
        query_id=query_id,
        answers_before=before,
        answers_after=after,
        actor=actor or current.actor,
        created_by=current.key_name or current.actor,
        key_id=current.key_id,
    )
    session.add(entry)
    return entry


def record_deletion(session: AsyncSession, corpus: Corpus, query: Query) -> None:
    """Record that the gold answers of a query go with it, and with them their history."""
    if query.gold_answers is not None:
        _record_event(session, corpus, query.id, query.gold_answers, None)


def _record_event(
    session: AsyncSession, corpus: Corpus, query_id: UUID, before: list[str] | None, after: list[str] | None
) -> None:
    """Record the number of answers before and after in the audit log, without texts, which may be from documents."""
    if before != after:
        counts = {"before": {"gold_answers": len(before or ())}, "after": {"gold_answers": len(after or ())}}
        audit.record(session, AuditAction.GOLD_CHANGED, query_id, corpus.id, **counts)


async def _locked(session: AsyncSession, corpus: Corpus, query_id: UUID) -> Query:
    query = await get_row(session, Query, corpus.id, query_id)
    await lock_for_update(session, query, "query", query_id, also=("gold_answers",))
    return query
