"""Imported votes in the database."""

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Self
from uuid import UUID

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy import delete as delete_rows
from sqlalchemy.ext.asyncio import AsyncSession

from answering.equivalence import NO_JOINS, Joins
from registry.corpora.model import Corpus
from registry.estimations.model import Vote as RunVote
from registry.platform.database.engine import Database
from registry.platform.database.paging import Page
from registry.platform.database.rows import any_of, get_row, page_of_rows
from registry.platform.enums import AnswerPolicy, SourceStatus
from registry.platform.errors import InvalidInput
from registry.queries.model import Query
from registry.queries.store import find as find_query
from registry.queries.store import policy_of
from registry.sources.model import Source
from registry.sources.store import find as find_source
from registry.viewers.model import ALL_SEEING, Viewer
from registry.viewers.store import visible_queries, visible_sources, visible_votes
from registry.votes.model import ImportedVote


# Not frozen: thousands are made for a page, and frozen ones take twice as long to make.
@dataclass(slots=True)
class Vote:
    source_id: UUID
    answer: str
    at: datetime | None
    answer_key: str | None = None
    """The class that a run gave the answer; None where no run did."""
    imported: bool = True
    """Whether it was imported, and not read in a document."""
    reading_confidence: float | None = None
    """Confidence of the reader; None for an imported vote, and if the reader gives none."""


@dataclass(frozen=True, slots=True)
class NamedVote:
    """An imported vote, with the external ids of its query and its source."""

    vote: ImportedVote
    query: str
    source: str


async def page(
    session: AsyncSession,
    corpus: Corpus,
    *,
    query: str | None = None,
    source: str | None = None,
    cursor: str | None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> Page[NamedVote]:
    """The votes on a query, those of a source, or all, oldest first; raises `NotFound` for one that is not there."""
    where = await _where(session, corpus, query, source, viewer)
    if not viewer.sees_all:
        where.append(exists().where(Source.id == ImportedVote.source_id, *visible_sources(viewer)))
        where.append(exists().where(Query.id == ImportedVote.query_id, *visible_queries(viewer)))
    votes = await page_of_rows(session, ImportedVote, corpus.id, *where, cursor=cursor, limit=limit)
    if not votes.items:
        return Page([], None)
    of_queries = select(Query.id, Query.external_id).where(Query.id == any_of([vote.query_id for vote in votes.items]))
    of_sources = select(Source.id, Source.external_id).where(
        Source.id == any_of([vote.source_id for vote in votes.items])
    )
    names: dict[UUID, str] = dict((await session.execute(of_queries.union_all(of_sources))).all())
    named = [NamedVote(vote, names[vote.query_id], names[vote.source_id]) for vote in votes.items]
    return Page(named, votes.next_cursor)


async def delete(session: AsyncSession, corpus: Corpus, vote_id: UUID) -> None:
    """Delete a vote; raises `NotFound`. Past runs keep it."""
    await session.delete(await get_row(session, ImportedVote, corpus.id, vote_id))


async def delete_of(session: AsyncSession, corpus: Corpus, *, query: str | None, source: str | None) -> int:
    """Delete the votes on a query, those of a source, or that of the source on the query; returns how many there were.

    Raises `InvalidInput` for neither, and `NotFound` for one that is not there.
    """
    where = await _where(session, corpus, query, source)
    if not where:
        raise InvalidInput("Name a query, a source or both; there is no way to delete all votes at once.")
    votes = delete_rows(ImportedVote).where(ImportedVote.corpus_id == corpus.id, *where).returning(ImportedVote.id)
    return len((await session.scalars(votes)).all())


async def _where(
    session: AsyncSession, corpus: Corpus, query: str | None, source: str | None, viewer: Viewer = ALL_SEEING
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query is not None:
        conditions.append(ImportedVote.query_id == (await find_query(session, corpus, query, viewer)).id)
    if source is not None:
        conditions.append(ImportedVote.source_id == (await find_source(session, corpus, source)).id)
    return conditions


async def of_queries(
    session: AsyncSession,
    query_ids: Collection[UUID],
    source_ids: Collection[UUID] | None = None,
    viewer: Viewer = ALL_SEEING,
) -> dict[UUID, list[Vote]]:
    """The votes of active sources, of these or all, by query."""
    return await _grouped(session, ImportedVote.query_id == any_of(query_ids), source_ids, viewer)


async def with_readings(
    session: AsyncSession, query_ids: Collection[UUID], estimation_id: UUID | None, viewer: Viewer = ALL_SEEING
) -> dict[UUID, list[Vote]]:
    """The votes of active sources by query: the imported ones, and of other sources what the run read in documents."""
    grouped = await of_queries(session, query_ids, viewer=viewer) if query_ids else {}
    if estimation_id is None or not query_ids:
        return grouped
    imported = {(query_id, vote.source_id) for query_id, votes in grouped.items() for vote in votes}
    columns = (
        RunVote.query_id,
        RunVote.source_id,
        RunVote.answer,
        RunVote.published_at,
        RunVote.answer_key,
        RunVote.confidence,
    )
    rows = (
        select(*columns)
        .join(Source, Source.id == RunVote.source_id)
        .where(
            RunVote.estimation_id == estimation_id,
            RunVote.query_id == any_of(query_ids),
            RunVote.answer_key.is_not(None),
            ~RunVote.imported,
            Source.status == SourceStatus.ACTIVE,
            *visible_votes(viewer),
        )
    )
    for query_id, source_id, answer, at, answer_key, sure in await session.execute(rows):
        if (query_id, source_id) not in imported:
            vote = Vote(source_id, answer or "", at, answer_key, imported=False, reading_confidence=sure)
            grouped.setdefault(query_id, []).append(vote)
    return grouped


async def queries_read(session: AsyncSession, query_ids: Collection[UUID], estimation_id: UUID | None) -> set[UUID]:
    """The queries, of those given, to which the run read an answer in documents."""
    if estimation_id is None or not query_ids:
        return set()
    rows = select(RunVote.query_id).where(
        RunVote.estimation_id == estimation_id,
        RunVote.query_id == any_of(query_ids),
        RunVote.answer_key.is_not(None),
        ~RunVote.imported,
    )
    return set(await session.scalars(rows.distinct()))


class VotedQuery(NamedTuple):
    """A query, without the rest of its row."""

    id: UUID
    external_id: str
    text: str
    origin: str
    joins: Joins = NO_JOINS
    """Answers to it that people joined."""
    policy: AnswerPolicy = AnswerPolicy.ONE

    @classmethod
    def of(cls, row: Query, corpus: Corpus) -> Self:
        """The voted query of its row."""
        policy = AnswerPolicy(row.answers or corpus.answers)
        return cls(row.id, row.external_id, row.text, row.origin, policy=policy)


async def query_batches(
    database: Database, corpus: Corpus, size: int, *, viewer: Viewer = ALL_SEEING
) -> AsyncIterator[list[VotedQuery]]:
    """The active queries, in the order of their ids; a transaction a batch."""
    columns = Query.id, Query.external_id, Query.text, Query.origin, policy_of(corpus)
    rows = select(*columns).where(Query.corpus_id == corpus.id, Query.active, *visible_queries(viewer))
    last = UUID(int=0)
    while True:
        async with database.begin() as session:
            after = rows.where(Query.id > last).order_by(Query.id).limit(size)
            found = await session.execute(after)
            batch = [
                VotedQuery(query_id, external_id, text, origin, policy=AnswerPolicy(policy))
                for query_id, external_id, text, origin, policy in found
            ]
        if batch:
            yield batch
            last = batch[-1].id
        if len(batch) < size:
            return


async def queries_of_source(
    session: AsyncSession,
    corpus: Corpus,
    source_id: UUID,
    estimation_id: UUID | None,
    limit: int,
    viewer: Viewer = ALL_SEEING,
) -> list[VotedQuery]:
    """The active queries with one answer on which a source voted, by import or as the run read it, the newest first; of
    queries and votes those that the viewer sees.
    """
    imported = select(ImportedVote.query_id).where(
        ImportedVote.source_id == source_id, exists().where(Source.id == source_id, *visible_sources(viewer))
    )
    read = select(RunVote.query_id).where(
        RunVote.estimation_id == estimation_id,
        RunVote.source_id == source_id,
        RunVote.answer_key.is_not(None),
        *visible_votes(viewer),
    )
    # Materialized: Postgres expects one query, and would look up all votes of the source again for every query.
    voted = imported.union(read).cte("voted").prefix_with("MATERIALIZED")
    rows = (
        select(Query.id, Query.external_id, Query.text, Query.origin)
        .where(Query.corpus_id == corpus.id, Query.active, Query.id.in_(select(voted.c.query_id)))
        .where(*visible_queries(viewer))
        .where(policy_of(corpus) == AnswerPolicy.ONE)
        .order_by(Query.id.desc())
        .limit(limit)
    )
    return [VotedQuery(*row) for row in await session.execute(rows)]


async def _grouped(
    session: AsyncSession, which: ColumnElement[bool], source_ids: Collection[UUID] | None, viewer: Viewer
) -> dict[UUID, list[Vote]]:
    rows = (
        select(ImportedVote.query_id, ImportedVote.source_id, ImportedVote.answer, ImportedVote.voted_at)
        .join(Source, Source.id == ImportedVote.source_id)
        .where(which, Source.status == SourceStatus.ACTIVE, *visible_sources(viewer))
        .order_by(ImportedVote.query_id, ImportedVote.source_id)
    )
    if source_ids is not None:
        rows = rows.where(ImportedVote.source_id == any_of(source_ids))
    grouped: dict[UUID, list[Vote]] = {}
    for query_id, source_id, answer, at in await session.execute(rows):
        grouped.setdefault(query_id, []).append(Vote(source_id, answer, at))
    return grouped
