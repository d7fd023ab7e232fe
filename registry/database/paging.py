"""Lists in pages: newest last, continued by an opaque cursor."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from registry.errors import InvalidInput

DEFAULT_LIMIT = 50
MAX_LIMIT = 500
_PREFIX = b"c1"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows of a list and where it goes on; without a next cursor this is the end."""

    items: Sequence[Row]
    next_cursor: str | None


async def paginate(
    session: AsyncSession, rows: Select[Row], key: InstrumentedAttribute[UUID], *, cursor: str | None, limit: int
) -> Page[Row]:
    """One page of `rows` in the order of `key`, the identifier of the rows (UUIDv7: the order of creation)."""
    if cursor is not None:
        rows = rows.where(key > decode(cursor))
    found: Sequence[Any] = (await session.scalars(rows.order_by(key).limit(limit + 1))).all()
    items = found[:limit]
    return Page(items, encode(getattr(items[-1], key.key)) if len(found) > limit else None)


def encode(last: UUID) -> str:
    """The cursor that goes on after `last`."""
    return urlsafe_b64encode(_PREFIX + last.bytes).decode().rstrip("=")


def decode(cursor: str) -> UUID:
    """The identifier a cursor stands after; raises `InvalidInput` for anything that is no cursor of ours."""
    try:
        raw = urlsafe_b64decode(cursor[:64] + "=" * (-len(cursor[:64]) % 4))
        if raw[:2] != _PREFIX:
            raise ValueError(raw)
        return UUID(bytes=raw[2:])
    except (ValueError, binascii.Error) as error:
        raise InvalidInput("This cursor is not one of ours; take it from next_cursor.", field="cursor") from error
