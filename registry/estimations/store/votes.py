"""What a run estimates from, and what it finds of its votes and queries: votes as arrays of numbers, copied out of
Postgres, the answers behind the numbers, its sources, gold answers, and the run before it.

Queries are numbered in the order of their ids, sources in the order given, answer classes in the order of their keys,
so that a number means the same answer class in all queries.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Vectors
from answering.equivalence import Joins
from estimator import VoteMatrix, from_binary_copy
from estimator.arrays.types import Floats, Integers
from estimator.topics import NEAREST_PASSAGES
from registry.estimations.model import COUNTED_IN_ITS_PLACE, MAY_BE_CURRENT, EstimationRun, RunQuery, RunSource, Vote
from registry.platform.database.engine import LONG_TIMEOUT, driver_connection
from registry.platform.database.rows import any_of
from registry.queries.model import JoinedAnswers, Query
from registry.readings.store.misreadings import SUSPECTED
from registry.sources.model import Rating, Source
from registry.viewers.store import SEEN_BY_ALL

Wordings = Mapping[tuple[int, int], str]

# What Postgres has not analysed yet it takes for few rows, and would compare each vote of a new run with all its
# queries and sources.
HASH_JOINS, ANY_JOINS = "SET LOCAL enable_nestloop = off", "SET LOCAL enable_nestloop = on"
NUMBERED = """
    WITH numbered_queries AS (
        SELECT query_id, query_text, several, row_number() OVER (ORDER BY query_id) - 1 AS number
        FROM estimation_queries WHERE estimation_id = %(run)s
    ),
    numbered_sources AS (
        SELECT source_id, number - 1 AS number FROM unnest(%(sources)s::uuid[]) WITH ORDINALITY AS s (source_id, number)
    ),
    numbered_classes AS (
        SELECT answer_key, row_number() OVER (ORDER BY answer_key) - 1 AS number
        FROM (SELECT DISTINCT answer_key FROM votes WHERE estimation_id = %(run)s AND answer_key IS NOT NULL) AS keys
    )
"""
# A probability is copied as a whole number of so many parts.
PARTS = 10**9
# In milliseconds since 1970, before all time stamps.
UNDATED = -(2**62)
COPY_VOTES = f"""
    COPY (
        {NUMBERED}
        SELECT numbered_queries.number, numbered_sources.number, numbered_classes.number,
               coalesce((extract(epoch FROM votes.published_at) * 1000)::bigint, {UNDATED}),
               CASE WHEN verdicts.reading_id IS NULL
                    THEN coalesce(({PARTS} * (1 - votes.confidence))::bigint, 0) ELSE 0 END
        FROM votes
        JOIN numbered_queries USING (query_id) JOIN numbered_classes USING (answer_key)
        JOIN numbered_sources USING (source_id)
        LEFT JOIN misreading_verdicts AS verdicts
            ON verdicts.reading_id = votes.reading_id AND verdicts.verdict = 'rejected'
            AND verdicts.corpus_id = (SELECT corpus_id FROM estimations WHERE id = %(run)s)
        WHERE votes.estimation_id = %(run)s AND NOT numbered_queries.several
    ) TO STDOUT (FORMAT binary)
"""  # noqa: S608  (our own words)
WORDINGS = f"""
    {NUMBERED},
    wanted AS (SELECT * FROM unnest(%(queries)s::bigint[], %(answers)s::bigint[]) AS pairs (query, answer))
    SELECT DISTINCT ON (wanted.query, wanted.answer) wanted.query, wanted.answer, votes.answer
    FROM votes JOIN numbered_queries USING (query_id) JOIN numbered_classes USING (answer_key)
    JOIN numbered_sources USING (source_id)
    JOIN wanted ON wanted.query = numbered_queries.number AND wanted.answer = numbered_classes.number
    WHERE votes.estimation_id = %(run)s
    GROUP BY wanted.query, wanted.answer, votes.answer
    ORDER BY wanted.query, wanted.answer, count(*) DESC, length(votes.answer), votes.answer COLLATE "C"
"""  # noqa: S608  (our own words)
STORE_MISREADINGS = """
    UPDATE votes SET misread = given.misread
    FROM unnest(%(queries)s::uuid[], %(sources)s::uuid[], %(misread)s::real[]) AS given (query_id, source_id, misread)
    WHERE votes.estimation_id = %(run)s AND votes.query_id = given.query_id AND votes.source_id = given.source_id
"""
COUNT_CLASSES = f"""
    UPDATE estimation_queries AS asked SET classes = counted.classes FROM (
        SELECT query_id, count(DISTINCT answer_key COLLATE "C") AS classes FROM votes
        WHERE estimation_id = %(run)s AND coalesce(misread, 0) < {SUSPECTED} GROUP BY query_id
    ) AS counted WHERE asked.estimation_id = %(run)s AND asked.query_id = counted.query_id
"""  # noqa: S608  (a constant)
CLASSES = f"{NUMBERED} SELECT answer_key, number FROM numbered_classes WHERE answer_key = ANY(%(keys)s)"  # noqa: S608  (our own words)
# Among the passages of the documents that the votes were read from. The text of an embedding is parsed once, not for
# every passage, which would take most of the time.
CONTEXTS = text(
    f"""
    WITH queries AS MATERIALIZED (
        SELECT query_id, CAST(vector AS halfvec) AS vector, number
        FROM unnest(CAST(:queries AS uuid[]), CAST(:vectors AS text[]))
             WITH ORDINALITY AS given (query_id, vector, number)
    )
    SELECT queries.number, CAST(avg(near.embedding) AS text) FROM queries CROSS JOIN LATERAL (
        SELECT passages.embedding
        FROM votes CROSS JOIN LATERAL jsonb_array_elements_text(votes.document_ids) AS read (document_id)
        JOIN passages ON passages.source_id = votes.source_id AND passages.document_id = CAST(read.document_id AS uuid)
        WHERE votes.estimation_id = :run AND votes.query_id = queries.query_id
        ORDER BY passages.embedding <=> queries.vector LIMIT {NEAREST_PASSAGES}
    ) AS near
    GROUP BY queries.number
    """  # noqa: S608  (a constant)
)
# Queries of one such statement.
BATCH = 500

MAX_PASSAGES = 2_000_000
COPY_SIGNATURES = f"""
    COPY (
        {NUMBERED}
        SELECT numbered_sources.number, passages.signature
        FROM passages JOIN numbered_sources USING (source_id)
        WHERE octet_length(passages.signature) = {{size}}
        LIMIT {MAX_PASSAGES}
    ) TO STDOUT (FORMAT binary)
"""  # noqa: S608  (our own words)


@dataclass(frozen=True, slots=True)
class RunVotes:
    """The votes of a run; queries and sources are positions in `query_ids` and `source_ids`."""

    estimation_id: UUID
    votes: VoteMatrix
    """Votes on queries with one right answer, each misread with the probability that the reader's confidence leaves,
    unless a person found it read right."""
    query_ids: Sequence[UUID]
    source_ids: Sequence[UUID]
    abstentions: Mapping[UUID, int]
    time: Floats | None
    """(V,) when the answers of `votes.triples()` were published, in milliseconds since 1970, NaN where unknown; None
    where no vote is dated."""
    several: frozenset[UUID] = frozenset()
    """The queries to which several answers may be true."""

    @property
    def sql_parameters(self) -> dict[str, object]:
        """Parameters of statements that begin with `NUMBERED`."""
        return {"run": self.estimation_id, "sources": list(self.source_ids)}


class PreviousRun(NamedTuple):
    """The run that counted until another one came, and its estimates by source."""

    run: EstimationRun
    sources: Mapping[UUID, RunSource]


async def rated_sources(
    session: AsyncSession, source_ids: Collection[UUID]
) -> tuple[Sequence[Source], dict[UUID, Rating]]:
    """These sources, in the order of their creation, and the ratings of those that have one."""
    rows = select(Source, Rating).outerjoin(Rating).where(Source.id == any_of(source_ids)).order_by(Source.id)
    found: list[tuple[Source, Rating | None]] = [(source, rating) for source, rating in await session.execute(rows)]
    return [source for source, _ in found], {source.id: rating for source, rating in found if rating is not None}


async def previous_run(session: AsyncSession, run: EstimationRun) -> EstimationRun | None:
    """The run of the corpus that counted until this one came."""
    earlier = EstimationRun.corpus_id == run.corpus_id, EstimationRun.id < run.id
    newest = select(COUNTED_IN_ITS_PLACE).where(*earlier, MAY_BE_CURRENT).order_by(EstimationRun.id.desc()).limit(1)
    counted = select(EstimationRun).where(EstimationRun.id == newest.scalar_subquery())
    return (await session.scalars(counted)).one_or_none()


async def previous_estimates(session: AsyncSession, estimation_id: UUID) -> PreviousRun | None:
    """The same, with its estimates."""
    run = await previous_run(session, await session.get_one(EstimationRun, estimation_id))
    if run is None:
        return None
    rows = await session.scalars(select(RunSource).where(RunSource.estimation_id == run.id))
    return PreviousRun(run, {row.source_id: row for row in rows})


async def gold_answers(session: AsyncSession, estimation_id: UUID) -> list[tuple[UUID, str, Sequence[str], Joins]]:
    """The queries of a run that have gold answers, with their texts, these, and the answers that people joined."""
    holding = JoinedAnswers.corpus_id == Query.corpus_id, JoinedAnswers.question == Query.text
    joined = select(JoinedAnswers.answers).where(*holding, JoinedAnswers.undone_at.is_(None)).order_by(JoinedAnswers.id)
    rows = select(Query.id, Query.text, Query.gold_answers, func.array(joined.scalar_subquery()))
    of_run = select(RunQuery.query_id).where(RunQuery.estimation_id == estimation_id)
    found = await session.execute(rows.where(Query.id.in_(of_run), Query.gold_answers.is_not(None)).order_by(Query.id))
    return [(query_id, question, gold, Joins(tuple(map(tuple, groups)))) for query_id, question, gold, groups in found]


async def load_votes(session: AsyncSession, estimation_id: UUID, source_ids: Sequence[UUID]) -> RunVotes:
    rows = select(RunQuery.query_id, RunQuery.several).where(RunQuery.estimation_id == estimation_id)
    is_several: dict[UUID, bool] = dict((await session.execute(rows.order_by(RunQuery.query_id))).all())
    query_ids, several = list(is_several), frozenset(query_id for query_id, is_so in is_several.items() if is_so)
    parameters = {"run": estimation_id, "sources": list(source_ids)}
    await session.execute(text(HASH_JOINS))
    copied = await _copied(session, COPY_VOTES, parameters)
    query, source, answer, milliseconds, misread = from_binary_copy(copied, columns=5)
    await session.execute(text(ANY_JOINS))
    votes = VoteMatrix.from_triples(query, source, answer, query_count=len(query_ids), source_count=len(source_ids))
    time = None
    if misread.any():
        votes = votes.with_misreadings(misread[np.lexsort((source, answer, query))] / PARTS)
    if (milliseconds != UNDATED).any():
        in_order = milliseconds[np.lexsort((source, answer, query))]  # the order of the votes
        time = np.where(in_order == UNDATED, np.nan, in_order)
    none = select(Vote.source_id, func.count()).where(Vote.estimation_id == estimation_id, Vote.answer_key.is_(None))
    abstentions = dict((await session.execute(none.group_by(Vote.source_id))).all())
    return RunVotes(estimation_id, votes, query_ids, source_ids, abstentions, time, several)


async def class_wordings(session: AsyncSession, run_votes: RunVotes, query: Integers, answer: Integers) -> Wordings:
    """The most frequent wording of answer classes (Q,) of queries (Q,); a negative class has none."""
    answered = answer >= 0
    pairs = {"queries": query[answered].tolist(), "answers": answer[answered].tolist()}
    await session.execute(text(HASH_JOINS))
    raw = await driver_connection(session)
    rows = await raw.execute(WORDINGS, run_votes.sql_parameters | pairs)
    wordings = {(query_number, class_number): wording for query_number, class_number, wording in await rows.fetchall()}
    await session.execute(text(ANY_JOINS))
    return wordings


async def class_numbers(session: AsyncSession, run_votes: RunVotes, keys: Sequence[str]) -> dict[str, int]:
    raw = await driver_connection(session)
    rows = await raw.execute(CLASSES, run_votes.sql_parameters | {"keys": list(keys)})
    return dict(await rows.fetchall())


async def _copied(session: AsyncSession, statement: str, parameters: Mapping[str, object]) -> bytearray:
    await session.execute(text(LONG_TIMEOUT))
    raw, received = await driver_connection(session), bytearray()
    async with raw.cursor() as cursor, cursor.copy(statement, parameters) as copy:
        async for block in copy:
            received += block
    return received


async def copy_signatures(session: AsyncSession, run_votes: RunVotes, size: int) -> bytearray:
    """The binary COPY of passages of the sources: number of the source, and signature, where that has `size` bytes."""
    return await _copied(session, COPY_SIGNATURES.format(size=size), run_votes.sql_parameters)


async def queries_with_topics(session: AsyncSession, run_id: UUID) -> Sequence[tuple[str, str | None, bool]]:
    """The texts of the queries of a run in the order of their ids, the topics that the caller gave them, and whether
    all who read the corpus may see them.
    """
    rows = select(RunQuery.query_text, Query.topic, SEEN_BY_ALL).outerjoin(Query, Query.id == RunQuery.query_id)
    found = await session.execute(rows.where(RunQuery.estimation_id == run_id).order_by(RunQuery.query_id))
    return [(question, topic, is_for_all) for question, topic, is_for_all in found]


async def contexts_of_queries(session: AsyncSession, run_votes: RunVotes, vectors: Vectors) -> Vectors:
    """(M, d) the mean embeddings of the passages nearest to the embeddings (M, d) of the queries, among those of the
    documents that their votes were read from; 0 where there are none.
    """
    await session.execute(text(LONG_TIMEOUT))
    contexts = np.zeros_like(vectors)
    for start in range(0, len(vectors), BATCH):
        texts = [HalfVector(vector).to_text() for vector in vectors[start : start + BATCH]]
        queries = {"run": run_votes.estimation_id, "queries": list(run_votes.query_ids[start : start + BATCH])}
        for number, context in await session.execute(CONTEXTS, queries | {"vectors": texts}):
            contexts[start + number - 1] = HalfVector.from_text(context).to_numpy()
    return contexts


async def mean_confidences(session: AsyncSession, run_id: UUID) -> dict[UUID, float]:
    """The mean confidence of the reader in the votes of each source, without those in whose votes it gives none."""
    rows = select(Vote.source_id, func.avg(Vote.confidence)).where(Vote.estimation_id == run_id)
    found = await session.execute(rows.where(Vote.confidence.is_not(None)).group_by(Vote.source_id))
    return {source_id: float(mean) for source_id, mean in found}


async def store_misreadings(
    session: AsyncSession, run_votes: RunVotes, votes: VoteMatrix, misread: Floats, least: float
) -> None:
    """Store the probabilities (V,), in the order of `votes.triples()`, that these votes of the run are misreadings,
    where they are `least` or more.
    """
    query, source, _ = votes.triples()
    stored = np.flatnonzero(misread >= least)
    columns = {
        "queries": [run_votes.query_ids[index] for index in query[stored].tolist()],
        "sources": [run_votes.source_ids[index] for index in source[stored].tolist()],
        "misread": misread[stored].tolist(),
    }
    raw = await driver_connection(session)
    await raw.execute(STORE_MISREADINGS, {"run": run_votes.estimation_id, **columns})


async def write_query_results(session: AsyncSession, run_id: UUID, rows: Sequence[Mapping[str, object]]) -> None:
    """Complete queries of a run with these columns, and all with the number of answers that its votes state."""
    if rows:
        await session.execute(update(RunQuery), rows)
    await session.execute(text(LONG_TIMEOUT))
    await session.execute(text(HASH_JOINS))
    raw = await driver_connection(session)
    await raw.execute(COUNT_CLASSES, {"run": run_id})
    await session.execute(text(ANY_JOINS))
