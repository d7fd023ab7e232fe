"""Queries: unlabelled questions to estimate reliability with. Gold answers, if any, serve audits only."""

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from pydantic import Field, StrictBool
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from uuid_utils.compat import uuid7

from registry.database import Database
from registry.errors import NotFound
from registry.lines import LineResult, LineStatus, numbered, parse_line, rejected
from registry.models import Corpus, Query
from registry.paging import Page, paginate
from registry.runtime import Runtime
from registry.text_fields import Attributes, ExternalId, Input, NotBlank, Question, Storable

BATCH = 200

Answer = Annotated[str, Field(min_length=1, max_length=2_000), Storable, NotBlank]
GoldAnswers = Annotated[list[Answer], Field(min_length=1, max_length=100)]


class QueryInput(Input):
    """A new query."""

    text: Question
    """A closed-ended question: one with a short, definite answer."""
    external_id: ExternalId | None = None
    """Yours, unique in the corpus: sending it again replaces the query. Without one it gets its own id."""
    gold_answers: GoldAnswers | None = None
    """Right answers, used to audit the estimate and never to make it."""
    attributes: Attributes = Field(default_factory=dict)
    """Anything else, as JSON."""
    active: StrictBool = True
    """Whether estimations ask it."""


class QueryPatch(Input):
    """What to change; what is left out stays."""

    text: Question | None = None
    """A closed-ended question."""
    gold_answers: GoldAnswers | None = None
    """Right answers; null removes them."""
    attributes: Attributes | None = None
    """Anything else, as JSON; replaces what was there."""
    active: StrictBool | None = None
    """Whether estimations ask it."""


async def create(session: AsyncSession, corpus: Corpus, given: QueryInput) -> tuple[Query, bool]:
    """A new query, or the one of that external id brought up to date; and whether it is new."""
    query, status = await _upsert(session, corpus, given)
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


async def import_lines(runtime: Runtime, corpus: Corpus, lines: AsyncIterator[bytes]) -> AsyncIterator[LineResult]:
    """Import NDJSON; each result is yielded after the transaction that made it true."""
    batch: list[tuple[int, QueryInput]] = []
    async for number, raw in numbered(lines):
        try:
            batch.append((number, parse_line(QueryInput, raw)))
        except ValueError as error:
            yield rejected(number, str(error))
        if len(batch) == BATCH:
            for result in await _import_batch(runtime.database, corpus, batch):
                yield result
            batch = []
    for result in await _import_batch(runtime.database, corpus, batch):
        yield result


async def _import_batch(database: Database, corpus: Corpus, batch: list[tuple[int, QueryInput]]) -> list[LineResult]:
    results: list[LineResult] = []
    async with database.begin() as session:
        for number, given in batch:
            query, status = await _upsert(session, corpus, given)
            results.append(LineResult(number, status, query.id, query.external_id))
    return results


async def _upsert(session: AsyncSession, corpus: Corpus, given: QueryInput) -> tuple[Query, LineStatus]:
    identifier = uuid7()
    external_id = given.external_id or str(identifier)
    fields = given.model_dump(exclude={"external_id"})
    row = {"id": identifier, "corpus_id": corpus.id, "external_id": external_id, **fields}
    # The insert decides who is first; the loser finds the winner's row.
    created = await session.scalar(insert(Query).values(row).on_conflict_do_nothing().returning(Query))
    if created is not None:
        return created, LineStatus.CREATED
    same = select(Query).where(Query.corpus_id == corpus.id, Query.external_id == external_id)
    query = (await session.scalars(same.with_for_update())).one()
    if all(getattr(query, field) == value for field, value in fields.items()):
        return query, LineStatus.UNCHANGED
    for field, value in fields.items():
        setattr(query, field, value)
    await session.flush()
    await session.refresh(query)
    return query, LineStatus.UPDATED
