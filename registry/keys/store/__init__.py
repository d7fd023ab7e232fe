"""The SQL of API keys: their secrets, sessions and sources, what their callers did, and the time by which they end."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, String, and_, cast, delete, func, or_, select
from sqlalchemy import update as update_rows
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.events import audit
from registry.keys.model import ApiKey, BrowserSession, LatestTime, RateCount
from registry.keys.schemas import READING, KeyInput, KeyPatch, Scope
from registry.people.model import Person
from registry.platform.database.paging import Page, paginate
from registry.platform.enums import AuditAction
from registry.platform.errors import Conflict, InvalidInput, NotFound
from registry.sources.model import Source

NOTED_EVERY = timedelta(minutes=1)


async def create(
    session: AsyncSession, corpus: Corpus | None, values: KeyInput, *, prefix: str, secret_hash: bytes
) -> ApiKey:
    """A new key of the corpus, or of the operators; raises as `_bind` does."""
    fields = values.model_dump() | {"scopes": sorted(values.scopes)}
    key = ApiKey(corpus_id=corpus.id if corpus else None, prefix=prefix, secret_hash=secret_hash, **fields)
    await _bind(session, corpus, key)
    session.add(key)
    await session.flush()
    await session.refresh(key)
    after = audit.values_of(key, fields)
    audit.record(session, AuditAction.KEY_CREATED, key.id, key.corpus_id, after=after)
    return key


async def find(session: AsyncSession, secret_hash: bytes) -> ApiKey | None:
    """The key whose secret, or whose former secret while that is valid, has that hash, if there is one."""
    is_former = and_(ApiKey.previous_secret_hash == secret_hash, ApiKey.previous_secret_ends_at > _latest_time())
    return await session.scalar(select(ApiKey).where(or_(ApiKey.secret_hash == secret_hash, is_former)))


async def note_use(session: AsyncSession, key: ApiKey) -> None:
    """Store that the key is used now, unless that was stored less than a minute ago."""
    now = datetime.now(UTC)
    if key.last_used_at is not None and now - key.last_used_at < NOTED_EVERY:
        return
    is_due = or_(ApiKey.last_used_at.is_(None), ApiKey.last_used_at <= now - NOTED_EVERY)
    await session.execute(update_rows(ApiKey).where(ApiKey.id == key.id, is_due).values(last_used_at=now))


async def page(session: AsyncSession, corpus: Corpus | None, *, cursor: str | None, limit: int) -> Page[ApiKey]:
    """The keys of the corpus, or of the operators, without those of people, oldest first."""
    of_nobody = ApiKey.id.not_in(select(Person.id))
    rows = select(ApiKey).where(ApiKey.corpus_id == (corpus.id if corpus else None), of_nobody)
    return await paginate(session, rows, ApiKey.id, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus | None, key_id: UUID, patch: KeyPatch) -> ApiKey:
    """Change the name, the limits, the end, the addresses or the sources of a key; its secret stays.

    Raises `NotFound`, `Conflict` for a key that is revoked, and as `_bind` does.
    """
    key, changes = await _locked(session, corpus, key_id), patch.changes()
    if key.revoked_at is not None:
        raise Conflict("This API key is revoked; make a new one.")
    before = audit.values_of(key, changes)
    for field, value in changes.items():
        setattr(key, field, value)
    await _bind(session, corpus, key)
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
    if key.revoked_at is not None or await has_passed(session, key.expires_at):
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
    of_person = key is not None and await session.get(Person, key_id) is not None
    if key is None or of_person or key.corpus_id != (corpus.id if corpus else None):
        raise NotFound("API key", key_id)
    return key


async def _bind(session: AsyncSession, corpus: Corpus | None, key: ApiKey) -> None:
    """Check the groups of a new or changed key and what it is bound to, and keep that by external ids, which are unique
    in a corpus.

    A name that no source has is the external id of a source to come. Raises `InvalidInput` for a name of several
    sources, for the key of an operator, and for scopes that such a key cannot have.
    """
    if key.groups is not None and not set(key.scopes) <= set(READING):
        raise InvalidInput("A key with groups has the scopes `read`, `ask` or both, and no other.", field="scopes")
    if key.source_bound is None:
        return
    if corpus is None:
        raise InvalidInput("Only keys of a corpus can be bound to sources.", field="sources")
    if Scope.ADMIN in key.scopes or Scope.INGEST not in key.scopes:
        raise InvalidInput(
            "A key that is bound to sources has the scope `ingest`, and not `admin`, which would let it loose.",
            field="scopes",
        )
    if key.sources is not None:
        key.sources = sorted([await _external_id(session, corpus, reference) for reference in set(key.sources)])


async def _external_id(session: AsyncSession, corpus: Corpus, reference: str) -> str:
    """The external id of the source with this external id, this id, or this name; otherwise the reference itself."""
    of_corpus = select(Source.external_id).where(Source.corpus_id == corpus.id)
    by_id = or_(Source.external_id == reference, cast(Source.id, String) == reference.lower())
    found = (await session.scalars(of_corpus.where(by_id))).all()
    if reference in found:
        return reference
    found = found or (await session.scalars(of_corpus.where(Source.name == reference))).all()
    if len(found) > 1:
        raise InvalidInput(f"{len(found)} sources are named {reference[:100]!r}; use an external id.", field="sources")
    return found[0] if found else reference


async def key_of_session(session: AsyncSession, token_hash: bytes) -> ApiKey | None:
    """The key of the browser whose token has that hash; None if its session has ended."""
    live = (BrowserSession.token_hash == token_hash, BrowserSession.expires_at > _latest_time())
    return await session.scalar(select(ApiKey).join(BrowserSession).where(*live))


async def end_session(session: AsyncSession, token_hash: bytes) -> None:
    """Sign out; idempotent."""
    await session.execute(delete(BrowserSession).where(BrowserSession.token_hash == token_hash))


async def has_passed(session: AsyncSession, moment: datetime | None) -> bool:
    """Whether it is that time, or was once; None never comes."""
    return moment is not None and bool(await session.scalar(select(_latest_time() >= moment)))


async def note_time(session: AsyncSession) -> None:
    """Keep the time, if it is later than the latest."""
    statement = insert(LatestTime).values(id=1, time=func.now())
    time = statement.excluded.time
    await session.execute(
        statement.on_conflict_do_update(index_elements=["id"], set_={"time": time}, where=LatestTime.time < time)
    )


def _latest_time() -> ColumnElement[datetime]:
    """Now, or the latest time that was seen if that is later."""
    return func.greatest(func.now(), select(LatestTime.time).scalar_subquery())


async def add_counts(session: AsyncSession, counts: Iterable[tuple[str, str, int, int]]) -> dict[tuple[str, str], int]:
    """Add to what was done in minutes, given as kind, subject, minute and number; returns the sums."""
    names = ("kind", "subject", "minute", "count")
    statement = insert(RateCount).values([dict(zip(names, row, strict=True)) for row in counts])
    summed = statement.on_conflict_do_update(
        index_elements=names[:3], set_={"count": RateCount.count + statement.excluded.count}
    ).returning(RateCount.kind, RateCount.subject, RateCount.count)
    return {(kind, subject): count for kind, subject, count in await session.execute(summed)}


async def counts_of(session: AsyncSession, kind: str, subjects: Collection[str], minute: int) -> dict[str, int]:
    """How often each of those subjects did something in a minute, where it did, as far as processes have told."""
    rows = select(RateCount.subject, RateCount.count)
    rows = rows.where(RateCount.kind == kind, RateCount.subject.in_(subjects), RateCount.minute == minute)
    return dict((await session.execute(rows)).all())
