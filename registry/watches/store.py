"""Watches in the database."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.events import audit
from registry.keys.model import ApiKey
from registry.keys.store import has_passed
from registry.platform.database.paging import Page
from registry.platform.database.rows import get_row, lock_for_update, page_of_rows
from registry.platform.enums import AuditAction
from registry.platform.errors import Conflict, Forbidden, NotFound
from registry.sources.model import Source
from registry.watches.model import Watch

MAX_WATCHES = 200


async def create(session: AsyncSession, corpus: Corpus, source: Source | None, token_hash: bytes) -> Watch:
    """A new watch by the current actor; raises `Conflict` where the corpus has as many as it may."""
    count = await session.scalar(select(func.count()).where(Watch.corpus_id == corpus.id)) or 0
    if count >= MAX_WATCHES:
        raise Conflict(f"This corpus has {count} watches, and may have no more: remove one that is not needed.")
    current = audit.current_actor.get()
    watch = Watch(
        corpus_id=corpus.id,
        source_id=source.id if source else None,
        token_hash=token_hash,
        key_id=current.key_id,
        created_by=current.key_name or current.actor,
    )
    session.add(watch)
    await session.flush()
    await session.refresh(watch)
    audit.record(session, AuditAction.WATCH_CREATED, watch.id, corpus.id, after={"source_id": watch.source_id})
    return watch


async def watches_of(session: AsyncSession, corpus: Corpus) -> Sequence[tuple[Watch, Source | None]]:
    """The watches of the corpus with the sources that they are of, the oldest first."""
    rows = select(Watch, Source).outerjoin(Source, Source.id == Watch.source_id).where(Watch.corpus_id == corpus.id)
    return [(watch, source) for watch, source in await session.execute(rows.order_by(Watch.id))]


async def page(session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int) -> Page[Watch]:
    """The watches of the corpus, the oldest first."""
    return await page_of_rows(session, Watch, corpus.id, cursor=cursor, limit=limit)


async def remove(session: AsyncSession, corpus: Corpus, watch_id: UUID, *, only_own: bool) -> None:
    """Delete a watch; raises `NotFound`, and with `only_own` `Forbidden` for that of another key."""
    watch = await get_row(session, Watch, corpus.id, watch_id)
    await lock_for_update(session, watch, "watch", watch_id)
    if only_own and (watch.key_id is None or watch.key_id != audit.current_actor.get().key_id):
        raise Forbidden("Only who made this watch, or somebody with the scope `admin`, removes it.")
    audit.record(session, AuditAction.WATCH_REMOVED, watch.id, corpus.id, before={"source_id": watch.source_id})
    await session.delete(watch)


async def opened(session: AsyncSession, token_hash: bytes) -> tuple[Watch, Corpus, Source | None]:
    """The watch whose token has that hash, with its corpus and source.

    Raises `NotFound`, the same whether there never was such a watch, or its key is no longer good.
    """
    watch = await session.scalar(select(Watch).where(Watch.token_hash == token_hash))
    if watch is None or not await _has_good_key(session, watch):
        raise NotFound("watch", "at this address")
    source = None if watch.source_id is None else await session.get_one(Source, watch.source_id)
    return watch, await session.get_one(Corpus, watch.corpus_id), source


async def _has_good_key(session: AsyncSession, watch: Watch) -> bool:
    if watch.key_id is None:
        return True
    key = await session.get(ApiKey, watch.key_id)
    if key is None or key.revoked_at is not None or key.corpus_id not in {None, watch.corpus_id}:
        return False
    return not await has_passed(session, key.expires_at)
