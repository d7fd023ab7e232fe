"""Requests that must not be done twice: the response once given to an Idempotency-Key is given again.

Conflict
└── KeyInUse         the first request with this key is still under way
InvalidInput
└── KeyReused        the key was sent with another request
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from registry.errors import Conflict, InvalidInput
from registry.models import IdempotentRequest

KEPT = timedelta(hours=24)


class KeyInUse(Conflict):
    """The first request with this key is still under way."""


class KeyReused(InvalidInput):
    """The key was sent with another request."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Which request this is: whose and where (`scope`), under which key, with which body (`request_hash`)."""

    scope: str
    key: str
    request_hash: bytes


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """What the first request was answered with."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def claim(session: AsyncSession, wanted: Claim, *, abandoned_after: timedelta) -> StoredResponse | None:
    """The stored response, or None if the request is now this caller's to do.

    A request under way for longer than `abandoned_after` was left by a process that died and is taken over. Raises
    `KeyInUse` and `KeyReused`.
    """
    await session.execute(delete(IdempotentRequest).where(_is(wanted), _abandoned(abandoned_after)))
    fresh = {"scope": wanted.scope, "key": wanted.key, "request_hash": wanted.request_hash}
    claimed = insert(IdempotentRequest).values(fresh).on_conflict_do_nothing().returning(IdempotentRequest.key)
    if await session.scalar(claimed) is not None:
        return None
    row = await session.scalar(select(IdempotentRequest).where(_is(wanted)))
    if row is None:
        raise KeyInUse("The first request with this Idempotency-Key has just failed; repeat yours.")
    return _response_of(row, wanted)


def _response_of(row: IdempotentRequest, wanted: Claim) -> StoredResponse:
    if row.request_hash != wanted.request_hash:
        raise KeyReused("This Idempotency-Key was sent before, with another body or other parameters.")
    if row.status is None or row.response is None:
        raise KeyInUse("The first request with this Idempotency-Key is still under way; repeat yours a little later.")
    return StoredResponse(row.status, row.headers or {}, row.response)


async def store(session: AsyncSession, done: Claim, response: StoredResponse) -> None:
    """Keep the response for those who repeat the request."""
    await session.execute(
        update(IdempotentRequest)
        .where(_is(done))
        .values(status=response.status, headers=dict(response.headers), response=response.body)
    )


async def release(session: AsyncSession, failed: Claim) -> None:
    """Let the request be tried again under the same key."""
    await session.execute(delete(IdempotentRequest).where(_is(failed)))


async def purge(session: AsyncSession) -> int:
    """Forget the keys older than a day; returns how many."""
    old = delete(IdempotentRequest).where(IdempotentRequest.created_at < func.now() - KEPT)
    return len((await session.scalars(old.returning(IdempotentRequest.key))).all())


def _is(wanted: Claim) -> ColumnElement[bool]:
    return (IdempotentRequest.scope == wanted.scope) & (IdempotentRequest.key == wanted.key)


def _abandoned(after: timedelta) -> ColumnElement[bool]:
    unfinished = IdempotentRequest.status.is_(None) & (IdempotentRequest.created_at < func.now() - after)
    return unfinished | (IdempotentRequest.created_at < func.now() - KEPT)
