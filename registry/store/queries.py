"""Queries: unlabelled questions to estimate reliability with. Gold answers, if any, serve audits only."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, or_, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from registry.database.engine import Database
from registry.database.paging import Page, paginate
from registry.database.retry import patiently
from registry.errors import NotFound
from registry.inputs.ndjson import numbered, parse_line
from registry.inputs.queries import QueryInput, QueryPatch
from registry.models import Corpus, Query
from registry.results.ingest import LineResult, LineStatus, rejected
from registry.runtime import Runtime

BATCH = 200


@dataclass(frozen=True, slots=True)
class Line:
    """A line that holds a query, and the names it will have if it is new."""

    number: int
    id: UUID
    external_id: str
    given: QueryInput


async def create(session: AsyncSession, corpus: Corpus, given: QueryInput) -> tuple[Query, bool]:
    """A new query, or the one of that external id brought up to date; and whether it is new."""
    identifier = uuid7()
    query, status = await _upsert(session, corpus, identifier, given.external_id or str(identifier), given)
    return query, status is LineStatus.CREATED


async def get(session: AsyncSession, corpus: Corpus, query_id: UUID) -> Query:
    """One query of the corpus; raises `NotFound`."""
    query = await session.get(Query, query_id)
    if query is None or query.corpus_id != corpus.id:
        raise NotFound("query", query_id)
    return query


async def page(
    session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int, active: bool | None = None
) -> Page[Query]:
    """The queries of the corpus, oldest first."""
    rows = select(Query).where(Query.corpus_id == corpus.id)
    if active is not None:
        rows = rows.where(Query.active.is_(active))
    return await paginate(session, rows, Query.id, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus, query_id: UUID, patch: QueryPatch) -> Query:
    """Change a query; runs that have asked it keep what they asked."""
    query = await get(session, corpus, query_id)
    for field, value in patch.model_dump(exclude_unset=True).items():
        if value is not None or field == "gold_answers":
            setattr(query, field, value)
    await session.flush()
    await session.refresh(query)
    return query


async def delete(session: AsyncSession, corpus: Corpus, query_id: UUID) -> None:
    """Delete a query; runs that have asked it keep what they found."""
    await session.delete(await get(session, corpus, query_id))
    await session.flush()


async def import_lines(runtime: Runtime, corpus: Corpus, lines: AsyncIterator[bytes]) -> AsyncIterator[LineResult]:
    """Import NDJSON; each result is yielded after the transaction that made it true."""
    batch: list[Line] = []
    async for number, raw in numbered(lines):
        try:
            given = parse_line(QueryInput, raw)
        except ValueError as error:
            yield rejected(number, str(error))
            continue
        identifier = uuid7()
        batch.append(Line(number, identifier, given.external_id or str(identifier), given))
        if len(batch) == BATCH:
            for result in await _import_batch(runtime.database, corpus, batch):
                yield result
            batch = []
    for result in await _import_batch(runtime.database, corpus, batch):
        yield result


async def _import_batch(database: Database, corpus: Corpus, batch: Sequence[Line]) -> list[LineResult]:
    async def once() -> list[LineResult]:
        async with database.begin() as session:
            written = [await _upsert(session, corpus, line.id, line.external_id, line.given) for line in batch]
        return [
            LineResult(line.number, status, query.id, query.external_id)
            for line, (query, status) in zip(batch, written, strict=True)
        ]

    return await patiently(once) if batch else []


async def _upsert(
    session: AsyncSession, corpus: Corpus, identifier: UUID, external_id: str, given: QueryInput
) -> tuple[Query, LineStatus]:
    fields = given.model_dump(exclude={"external_id"})
    statement = insert(Query).values(id=identifier, corpus_id=corpus.id, external_id=external_id, **fields)
    new = {name: statement.excluded[name] for name in fields}
    # A query that is the same is not written; where nothing was written, its row is read.
    upsert = statement.on_conflict_do_update(
        index_elements=[Query.corpus_id, Query.external_id],
        set_=new | {"updated_at": func.now()},
        where=or_(*(getattr(Query, name).is_distinct_from(value) for name, value in new.items())),
    ).returning(Query, text("xmax = 0"))
    row = (await session.execute(upsert, execution_options={"populate_existing": True})).one_or_none()
    if row is not None:
        return row[0], LineStatus.CREATED if row[1] else LineStatus.UPDATED
    same = select(Query).where(Query.corpus_id == corpus.id, Query.external_id == external_id)
    return (await session.scalars(same)).one(), LineStatus.UNCHANGED
