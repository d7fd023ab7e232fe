"""Keyset pagination: pages of a list in the order of creation, continued by an opaque cursor."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from registry.platform.errors import InvalidInput

DEFAULT_LIMIT = 50
MAX_LIMIT = 500
_CURSOR_VERSION = b"c1"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Consecutive rows of a list; `next_cursor` is None on the last page."""

    items: Sequence[Row]
    next_cursor: str | None


async def paginate(
    session: AsyncSession,
    rows: Select[Row],
    key: InstrumentedAttribute[UUID],
    *,
    cursor: str | None,
    limit: int,
    newest_first: bool = False,
) -> Page[Row]:
    """The page of `rows` after `cursor`, ordered by `key`, their identifier (UUIDv7, so by creation)."""
    if cursor is not None:
        last = decode_cursor(cursor)
        rows = rows.where(key < last if newest_first else key > last)
    ordered = rows.order_by(key.desc() if newest_first else key)
    fetched: Sequence[Any] = (await session.scalars(ordered.limit(limit + 1))).all()
    items = fetched[:limit]
    return Page(items, encode_cursor(getattr(items[-1], key.key)) if len(fetched) > limit else None)


def encode_cursor(last: UUID) -> str:
    """The cursor of the page that follows the row with this identifier."""
    return urlsafe_b64encode(_CURSOR_VERSION + last.bytes).decode().rstrip("=")


def decode_cursor(cursor: str) -> UUID:
    """The identifier of the row before the page; raises `InvalidInput` for any other text."""
    try:
        raw = urlsafe_b64decode(cursor[:64] + "=" * (-len(cursor[:64]) % 4))
        if raw[:2] != _CURSOR_VERSION:
            raise ValueError(raw)
        return UUID(bytes=raw[2:])
    except (ValueError, binascii.Error) as error:
        raise InvalidInput("This cursor is not one of ours; take it from next_cursor.", field="cursor") from error
