"""Idempotency keys: a request that is repeated with its key gets the stored response of the first one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, LargeBinary, delete, func, select, update
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from registry.platform.database.base import Base, Created, Json
from registry.platform.errors import Conflict, InvalidInput


class IdempotentRequest(Base):
    """A request with an Idempotency-Key and its response, which is null while the request is in progress."""

    __tablename__ = "idempotent_requests"

    scope: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    request_hash: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int | None]
    headers: Mapped[Json | None] = mapped_column(JSONB(none_as_null=True))
    response: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[Created]


KEEP = timedelta(hours=24)


class KeyInUse(Conflict):
    """The first request with this key is still in progress."""


class KeyReused(InvalidInput):
    """The key was sent with another request."""


@dataclass(frozen=True, slots=True)
class RequestKey:
    """A request: `scope` is the caller with method and path, `request_hash` stands for the body."""

    scope: str
    key: str
    request_hash: bytes


@dataclass(frozen=True, slots=True)
class StoredResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes


async def reserve(session: AsyncSession, request: RequestKey, *, abandoned_after: timedelta) -> StoredResponse | None:
    """The stored response, or None if the caller is to process the request and then to `store` or `release` it.

    A request in progress for longer than `abandoned_after` was left by a process that died, and is processed again.
    Raises `KeyInUse` and `KeyReused`.
    """
    await session.execute(delete(IdempotentRequest).where(_is(request), _abandoned(abandoned_after)))
    statement = insert(IdempotentRequest).values(asdict(request)).on_conflict_do_nothing()
    if await session.scalar(statement.returning(IdempotentRequest.key)) is not None:
        return None
    row = await session.scalar(select(IdempotentRequest).where(_is(request)))
    if row is None:
        raise KeyInUse("The first request with this Idempotency-Key has just failed; repeat yours.")
    if row.request_hash != request.request_hash:
        raise KeyReused("This Idempotency-Key was sent before, with another body or other parameters.")
    if row.status is None or row.response is None:
        raise KeyInUse("The first request with this Idempotency-Key is still under way; repeat yours a little later.")
    return StoredResponse(row.status, row.headers or {}, row.response)


async def store(session: AsyncSession, request: RequestKey, response: StoredResponse) -> None:
    await session.execute(
        update(IdempotentRequest)
        .where(_is(request))
        .values(status=response.status, headers=dict(response.headers), response=response.body)
    )


async def release(session: AsyncSession, request: RequestKey) -> None:
    """Forget a request that failed, so that it can be repeated with its key."""
    await session.execute(delete(IdempotentRequest).where(_is(request)))


def _is(request: RequestKey) -> ColumnElement[bool]:
    return (IdempotentRequest.scope == request.scope) & (IdempotentRequest.key == request.key)


def _abandoned(after: timedelta) -> ColumnElement[bool]:
    unfinished = IdempotentRequest.status.is_(None) & (IdempotentRequest.created_at < func.now() - after)
    return unfinished | (IdempotentRequest.created_at < func.now() - KEEP)
