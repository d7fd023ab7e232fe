"""Rows that belong to a corpus."""

from typing import TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, inspect, select
from sqlalchemy.exc import InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.paging import Page, paginate
from registry.errors import NotFound
from registry.models import (
    AnswerRecord,
    Base,
    Connector,
    Corpus,
    DocumentContradiction,
    EstimationRun,
    Query,
    QueryGeneration,
    Schedule,
    Source,
    StoredEvaluation,
)

Row = TypeVar(
    "Row",
    AnswerRecord,
    Connector,
    DocumentContradiction,
    EstimationRun,
    Query,
    QueryGeneration,
    Schedule,
    Source,
    StoredEvaluation,
)

NOUNS = {
    AnswerRecord: "answer",
    Connector: "connector",
    DocumentContradiction: "contradiction",
    EstimationRun: "estimation",
    Query: "query",
    QueryGeneration: "generation of queries",
    Schedule: "schedule",
    Source: "source",
    StoredEvaluation: "evaluation",
}


def parse_id(reference: str) -> UUID | None:
    """The identifier that a text is, or None if it is none."""
    try:
        return UUID(reference)
    except ValueError:
        return None


async def get_row(session: AsyncSession, table: type[Row], corpus: Corpus, row_id: UUID) -> Row:
    """The row with that identifier; raises `NotFound` if the corpus has none."""
    row = await session.get(table, row_id)
    if row is None or row.corpus_id != corpus.id:
        raise NotFound(NOUNS[table], row_id)
    return row


async def lock_for_update(
    session: AsyncSession, row: Base, kind: str, row_id: UUID, *, also: tuple[str, ...] = ()
) -> None:
    """Lock a row that is to be deleted or changed, and read its columns `also` anew; raises `NotFound` if it was
    deleted meanwhile.
    """
    key = [str(column.key) for column in inspect(row).mapper.primary_key]
    try:
        await session.refresh(row, [*key, *also], with_for_update=True)
    except InvalidRequestError as error:
        raise NotFound(kind, row_id) from error


async def page_of_rows(
    session: AsyncSession,
    table: type[Row],
    corpus: Corpus,
    *where: ColumnElement[bool],
    cursor: str | None,
    limit: int,
    newest_first: bool = False,
) -> Page[Row]:
    """A page of those rows of the corpus that meet the conditions, oldest first unless `newest_first`."""
    rows = select(table).where(table.corpus_id == corpus.id, *where)
    return await paginate(session, rows, table.id, cursor=cursor, limit=limit, newest_first=newest_first)
