"""Rows that belong to a corpus, or have one of many identifiers."""

from collections.abc import Collection
from typing import TypeVar
from uuid import UUID

from sqlalchemy import ARRAY, ColumnElement, Uuid, any_, exists, inspect, literal, select
from sqlalchemy.exc import InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.elements import CollectionAggregate

from registry.platform.database.base import Base, CorpusRow
from registry.platform.database.paging import Page, paginate
from registry.platform.errors import NotFound

Row = TypeVar("Row", bound=CorpusRow)


def parse_id(reference: str) -> UUID | None:
    """The identifier that a text is, or None if it is none."""
    try:
        return UUID(reference)
    except ValueError:
        return None


async def get_row(
    session: AsyncSession, table: type[Row], corpus_id: UUID, row_id: UUID, *where: ColumnElement[bool]
) -> Row:
    """The row with that identifier; raises `NotFound` if the corpus has none that meets the conditions."""
    row = await session.get(table, row_id)
    if row is None or row.corpus_id != corpus_id:
        raise NotFound(table.noun, row_id)
    if where and not await session.scalar(select(exists().where(table.id == row_id, *where))):
        raise NotFound(table.noun, row_id)
    return row


async def lock_for_update(
    session: AsyncSession, row: Base, kind: str, row_id: UUID, *, also: tuple[str, ...] = ()
) -> None:
    """Lock a row to delete or change, and read its columns `also` anew; raises `NotFound` if it was deleted."""
    key = [str(column.key) for column in inspect(row).mapper.primary_key]
    try:
        await session.refresh(row, [*key, *also], with_for_update=True)
    except InvalidRequestError as error:
        raise NotFound(kind, row_id) from error


async def page_of_rows(
    session: AsyncSession,
    table: type[Row],
    corpus_id: UUID,
    *where: ColumnElement[bool],
    cursor: str | None,
    limit: int,
    newest_first: bool = False,
) -> Page[Row]:
    """A page of those rows of the corpus that meet the conditions, oldest first unless `newest_first`."""
    rows = select(table).where(table.corpus_id == corpus_id, *where)
    return await paginate(session, rows, table.id, cursor=cursor, limit=limit, newest_first=newest_first)


def any_of(identifiers: Collection[UUID]) -> CollectionAggregate[bool]:
    """The identifiers as one parameter, however many they are."""
    return any_(literal(list(identifiers), ARRAY(Uuid)))
