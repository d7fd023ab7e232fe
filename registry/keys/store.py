"""The SQL of API keys, and of what they have spent on language models."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from sqlalchemy import and_, delete, or_, select, true
from sqlalchemy import update as update_rows
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.events import audit
from registry.keys import bounds, clock
from registry.keys.model import ApiKey, BrowserSession, KeySpending
from registry.keys.schemas import KeyInput, KeyPatch
from registry.platform.database.paging import Page, paginate
from registry.platform.enums import AuditAction
from registry.platform.errors import Conflict, NotFound

NOTED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Spending:
    """What a key has spent on one day."""

    model_calls: int = 0
    tokens: int = 0
    questions: int = 0


async def create(
    session: AsyncSession, corpus: Corpus | None, values: KeyInput, *, prefix: str, secret_hash: bytes
) -> ApiKey:
    """A new key of the corpus, or of the operators; raises as `bounds.bind` does."""
    fields = values.model_dump() | {"scopes": sorted(values.scopes)}
    key = ApiKey(corpus_id=corpus.id if corpus else None, prefix=prefix, secret_hash=secret_hash, **fields)
    await bounds.bind(session, corpus, key)
    session.add(key)
    await session.flush()
    await session.refresh(key)
    after = audit.values_of(key, fields)
    audit.record(session, AuditAction.KEY_CREATED, key.id, key.corpus_id, after=after)
    return key


async def find(session: AsyncSession, secret_hash: bytes) -> ApiKey | None:
    """The key whose secret, or whose former secret while that is valid, has that hash, if there is one."""
    is_former = and_(ApiKey.previous_secret_hash == secret_hash, ApiKey.previous_secret_ends_at > clock.latest())
    return await session.scalar(select(ApiKey).where(or_(ApiKey.secret_hash == secret_hash, is_former)))


async def note_use(session: AsyncSession, key: ApiKey) -> None:
    """Store that the key is used now, unless that was stored less than a minute ago."""
    now = datetime.now(UTC)
    if key.last_used_at is not None and now - key.last_used_at < NOTED_EVERY:
        return
    is_due = or_(ApiKey.last_used_at.is_(None), ApiKey.last_used_at <= now - NOTED_EVERY)
    await session.execute(update_rows(ApiKey).where(ApiKey.id == key.id, is_due).values(last_used_at=now))


async def page(session: AsyncSession, corpus: Corpus | None, *, cursor: str | None, limit: int) -> Page[ApiKey]:
    """The keys of the corpus, or of the operators, oldest first."""
    rows = select(ApiKey).where(ApiKey.corpus_id == (corpus.id if corpus else None))
    return await paginate(session, rows, ApiKey.id, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus | None, key_id: UUID, patch: KeyPatch) -> ApiKey:
    """Change the name, the limits, the end, the addresses or the sources of a key; its secret stays.

    Raises `NotFound`, `Conflict` for a key that is revoked, and as `bounds.bind` does.
    """
    key, changes = await _locked(session, corpus, key_id), patch.changes()
    if key.revoked_at is not None:
        raise Conflict("This API key is revoked; make a new one.")
    before = audit.values_of(key, changes)
    for field, value in changes.items():
        setattr(key, field, value)
    await bounds.bind(session, corpus, key)
    await session.flush()
    await session.refresh(key)
    after = audit.values_of(key, changes)
    audit.record(session, AuditAction.KEY_CHANGED, key.id, key.corpus_id, before=before, after=after)
    return key


async def revoke(session: AsyncSession, corpus: Corpus | None, key_id: UUID) -> ApiKey:
    """Revoke a key; idempotent. Raises `NotFound`."""
    key = await _locked(session, corpus, key_id)
    if key.revoked_at is None:
        key.revoked_at = datetime.now(UTC)
        audit.record(session, AuditAction.KEY_REVOKED, key.id, key.corpus_id, before={"name": key.name})
    return key


async def rotate(
    session: AsyncSession,
    corpus: Corpus | None,
    key_id: UUID,
    *,
    prefix: str,
    secret_hash: bytes,
    overlap: timedelta,
) -> ApiKey:
    """Give a key another secret and let the former one end after `overlap`; browsers signed in with the key are signed
    out.

    Raises `NotFound`, and `Conflict` for a key that is revoked or expired.
    """
    key, now = await _locked(session, corpus, key_id), datetime.now(UTC)
    if key.revoked_at is not None or await clock.has_passed(session, key.expires_at):
        raise Conflict("This API key is revoked or expired; make a new one.")
    key.previous_secret_hash, key.previous_secret_ends_at = key.secret_hash, now + overlap
    key.secret_hash, key.prefix = secret_hash, prefix
    after = {"name": key.name, "former_secret_ends_at": key.previous_secret_ends_at}
    audit.record(session, AuditAction.KEY_ROTATED, key.id, key.corpus_id, after=after)
    await session.execute(delete(BrowserSession).where(BrowserSession.key_id == key.id))
    await session.flush()
    return key


async def _locked(session: AsyncSession, corpus: Corpus | None, key_id: UUID) -> ApiKey:
    key = await session.get(ApiKey, key_id, with_for_update=True)
    if key is None or key.corpus_id != (corpus.id if corpus else None):
        raise NotFound("API key", key_id)
    return key


async def count_call(session: AsyncSession, key_id: UUID, *, max_calls: int | None, max_tokens: int | None) -> bool:
    """Add one call to today's spending and return True, or return False if a limit is reached; None is no limit."""
    if max_calls == 0 or max_tokens == 0:
        return False
    limits = ((KeySpending.model_calls, max_calls), (KeySpending.tokens, max_tokens))
    statement = insert(KeySpending).values(key_id=key_id, day=today(), model_calls=1, tokens=0)
    # Whether a call is left and that it is taken is one statement, so that concurrent requests cannot take it twice.
    statement = statement.on_conflict_do_update(
        index_elements=[KeySpending.key_id, KeySpending.day],
        set_={"model_calls": KeySpending.model_calls + 1},
        where=and_(true(), *(spent < limit for spent, limit in limits if limit is not None)),
    )
    return await session.scalar(statement.returning(KeySpending.key_id)) is not None


async def count_tokens(session: AsyncSession, key_id: UUID, tokens: int) -> None:
    """Add tokens to today's spending."""
    statement = insert(KeySpending).values(key_id=key_id, day=today(), model_calls=0, tokens=tokens)
    await session.execute(
        statement.on_conflict_do_update(
            index_elements=[KeySpending.key_id, KeySpending.day], set_={"tokens": KeySpending.tokens + tokens}
        )
    )


async def spent_today(session: AsyncSession, key_ids: Collection[UUID]) -> Mapping[UUID, Spending]:
    """Today's spending of those keys that have any."""
    rows = select(KeySpending).where(KeySpending.key_id.in_(key_ids), KeySpending.day == today())
    return {row.key_id: Spending(row.model_calls, row.tokens, row.questions) for row in await session.scalars(rows)}


def today() -> date:
    """The day in UTC, from whose midnight on daily limits count."""
    return datetime.now(UTC).date()
