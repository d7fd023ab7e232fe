"""The votes of an earlier run that another one carries over: whole queries at once, or the readings of sources."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import ARRAY, ColumnElement, Select, Uuid, and_, any_, exists, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.sql.elements import CollectionAggregate

from answering.voting import ReadingStatus, SourceReading
from registry.estimation.carrying import EarlierRun
from registry.models import Corpus, EstimationRun, MisreadingVerdict, RunQuery, Vote
from registry.store.passages import Vector
from registry.store.passages.words import words_of

# The columns of a vote but those of its run.
COPIED = [column.name for column in Vote.__table__.columns if column.name not in {"estimation_id", "misread"}]
# Of equal ranks the one with the smaller identifier is the better.
OUTDATED = text(
    """
    WITH asked AS MATERIALIZED (
        SELECT query_id, CAST(vector AS halfvec) AS vector, CAST(words AS tsquery) AS words
        FROM unnest(CAST(:queries AS uuid[]), CAST(:vectors AS text[]), CAST(:words AS text[]))
            AS given (query_id, vector, words)
    )
    SELECT votes.query_id, votes.source_id
    FROM asked
    JOIN votes ON votes.estimation_id = :earlier AND votes.query_id = asked.query_id
        AND votes.source_id = ANY(CAST(:sources AS uuid[]))
    WHERE least_rank IS NULL OR EXISTS (
        SELECT FROM documents
        JOIN passages ON passages.source_id = votes.source_id AND passages.document_id = documents.id
        CROSS JOIN LATERAL (SELECT ts_rank(passages.lexemes, asked.words) AS text_rank) AS of_words
        WHERE documents.source_id = votes.source_id AND documents.updated_at > :began
            AND (1 - (passages.embedding <=> asked.vector) >= least_similarity
                 OR passages.lexemes @@ asked.words
                    AND (text_rank > least_rank
                         OR text_rank = least_rank
                            AND CAST(documents.id AS text) COLLATE "C" < (
                                SELECT max(read COLLATE "C")
                                FROM jsonb_array_elements_text(votes.document_ids) AS read)))
    )
    """
)
# Of an earlier run, on pairs of a query and a source.
COPY_VOTES = text(
    f"""
    INSERT INTO votes (estimation_id, {", ".join(COPIED)})
    SELECT :run, {", ".join(f"votes.{name}" for name in COPIED)}
    FROM unnest(CAST(:queries AS uuid[]), CAST(:sources AS uuid[])) AS kept (query_id, source_id)
    JOIN votes ON votes.estimation_id = :earlier AND votes.query_id = kept.query_id
        AND votes.source_id = kept.source_id
    """  # noqa: S608  (names of columns)
)


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query of a run, with its embedding."""

    id: UUID
    text: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class CarriedQueries:
    """Queries that were carried over as a whole, and how many readings and votes they have."""

    query_ids: Collection[UUID]
    readings: int
    votes: int


async def known_queries(session: AsyncSession, earlier: EarlierRun, queries: Mapping[UUID, str]) -> set[UUID]:
    """Those of the queries, given with their texts, that the earlier run read with this text and without failures."""
    rows = select(RunQuery.query_id, RunQuery.query_text).where(
        RunQuery.estimation_id == earlier.id, RunQuery.query_id == _any(queries)
    )
    if earlier.any_failed:
        failed = exists().where(
            Vote.estimation_id == RunQuery.estimation_id,
            Vote.query_id == RunQuery.query_id,
            Vote.status == ReadingStatus.FAILED,
        )
        rows = rows.where(~failed)
    # What people say of readings may have changed.
    rows = rows.where(RunQuery.query_text.not_in(_judged_questions(earlier)), ~_any_misread())
    return {query_id for query_id, query in await session.execute(rows) if queries[query_id] == query}


async def carry_queries(
    session: AsyncSession, run_id: UUID, earlier: EarlierRun, queries: Mapping[UUID, str]
) -> CarriedQueries:
    """Take over all votes on those of the queries that are known; those that the run has already are left out."""
    known = await known_queries(session, earlier, queries)
    counted = (
        select(Vote.query_id, func.count(), func.count(Vote.answer_key))
        .where(Vote.estimation_id == earlier.id, Vote.query_id == _any(known))
        .where(Vote.source_id == _any(earlier.unchanged))
        .group_by(Vote.query_id)
    )
    counts = {query_id: (readings, votes) for query_id, readings, votes in await session.execute(counted)}
    rows = [
        {
            "estimation_id": run_id,
            "query_id": query_id,
            "query_text": queries[query_id],
            "vote_count": counts.get(query_id, (0, 0))[1],
        }
        for query_id in sorted(known)
    ]
    if not rows:
        return CarriedQueries((), 0, 0)
    added = insert(RunQuery).on_conflict_do_nothing().returning(RunQuery.query_id)
    query_ids = frozenset(await session.scalars(added, rows))
    copied = select(literal(run_id, Uuid), *(Vote.__table__.columns[name] for name in COPIED)).where(
        Vote.estimation_id == earlier.id, Vote.query_id == _any(query_ids), Vote.source_id == _any(earlier.unchanged)
    )
    await session.execute(insert(Vote).from_select(["estimation_id", *COPIED], copied))
    readings, votes = (sum(counts.get(query_id, (0, 0))[part] for query_id in query_ids) for part in (0, 1))
    return CarriedQueries(query_ids, readings, votes)


async def kept_readings(
    session: AsyncSession, corpus: Corpus, earlier: EarlierRun, queries: Sequence[AskedQuery]
) -> dict[UUID, dict[UUID, SourceReading]]:
    """By query and source, the readings that would be the same now, without their passages.

    Those of unchanged sources, and of grown ones where both rankings put all new passages behind those that were read:
    then neither their ranks change nor, as the rankings are fused, which passages are behind them. None of a query that
    had another text, and none that failed.
    """
    kept: dict[UUID, dict[UUID, SourceReading]] = {query.id: {} for query in queries}
    texts = {query.id: query.text for query in queries}
    wanted = earlier.unchanged | earlier.grown
    rows = (
        select(RunQuery.query_text, Vote.query_id, Vote.source_id, Vote.status, Vote.answer_key, Vote.answer)
        .join(RunQuery, and_(RunQuery.estimation_id == Vote.estimation_id, RunQuery.query_id == Vote.query_id))
        .where(Vote.estimation_id == earlier.id, Vote.query_id == _any(kept), Vote.status != ReadingStatus.FAILED)
        .where(RunQuery.query_text.not_in(_judged_questions(earlier)), ~_any_misread())
    )
    for query, query_id, source_id, status, answer_key, answer in await session.execute(rows):
        if source_id in wanted and query == texts[query_id]:
            kept[query_id][source_id] = SourceReading(ReadingStatus(status), answer_key, answer, cached=True)
    if earlier.grown:
        parameters = {
            "earlier": earlier.id,
            "began": earlier.began,
            "sources": list(earlier.grown),
            "queries": [query.id for query in queries],
            "vectors": [HalfVector(query.vector).to_text() for query in queries],
            "words": [(await words_of(session, corpus, query.text)).any for query in queries],
        }
        for query_id, source_id in await session.execute(OUTDATED, parameters):
            kept[query_id].pop(source_id, None)
    return kept


async def carry_votes(
    session: AsyncSession,
    run_id: UUID,
    earlier: EarlierRun,
    readings: Mapping[UUID, Mapping[UUID, SourceReading]],
    keys: Mapping[UUID, Mapping[UUID, str]],
) -> None:
    """Take over these readings, by query and source, with the answer classes that they have now."""
    pairs = [(query_id, source_id) for query_id, of_query in readings.items() for source_id in of_query]
    query_ids, source_ids = [query_id for query_id, _ in pairs], [source_id for _, source_id in pairs]
    parameters = {"run": run_id, "earlier": earlier.id, "queries": query_ids, "sources": source_ids}
    await session.execute(COPY_VOTES, parameters)
    for query_id, source_id in pairs:
        key = keys[query_id].get(source_id)
        # Under some policies classes depend on the other answers.
        if key != readings[query_id][source_id].answer_key:
            vote = update(Vote).where(
                Vote.estimation_id == run_id, Vote.query_id == query_id, Vote.source_id == source_id
            )
            await session.execute(vote.values(answer_key=key))


def _judged_questions(earlier: EarlierRun) -> Select[str]:
    """The questions of the corpus with a verdict on a reading."""
    of_run = select(EstimationRun.corpus_id).where(EstimationRun.id == earlier.id).scalar_subquery()
    return select(MisreadingVerdict.question).where(MisreadingVerdict.corpus_id == of_run)


def _any_misread() -> ColumnElement[bool]:
    """Whether a reading of the query of the statement around was a confirmed misreading."""
    vote = aliased(Vote)
    return exists().where(
        vote.estimation_id == RunQuery.estimation_id,
        vote.query_id == RunQuery.query_id,
        vote.status == ReadingStatus.MISREAD,
    )


def _any(identifiers: Collection[UUID]) -> CollectionAggregate[bool]:
    """As one parameter, however many they are."""
    return any_(literal(list(identifiers), ARRAY(Uuid)))
