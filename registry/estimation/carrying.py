"""Votes carried over: a run takes from an earlier one what cannot have changed since, and reads the rest.

The vote of a source on a query depends on the text of the query, on the documents of the source, and on what
`conditions` is a digest of; fuzzy classes on all answers to the query. Which sources are read for a query depends on
the documents of all of them where only candidates are read. So where nothing else can have changed, queries are carried
over as a whole, and otherwise the votes of those sources that did not change.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, and_, any_, exists, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.elements import CollectionAggregate

from answering.equivalence import KEYS_VERSION, ClassPolicy
from answering.readers import ChatReader
from answering.voting import ReadingStatus, SourceReading
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, EstimationRun, RunQuery, RunStatus, Vote
from registry.reading import READING_VERSION, only_candidates
from registry.runtime import Runtime
from registry.store.readings import digest
from registry.store.votes import LONG_TIMEOUT

# A number of every active source that changes with the source and with the times of its documents. A document that is
# replaced has a new time; one that was committed late, after a run had begun, changes the number too.
SOURCE_STATES = text(
    """
    SELECT sources.id,
           CAST((hashfloat8extended(date_part('epoch', sources.updated_at), 1)
                 + coalesce(sum(hashfloat8extended(date_part('epoch', documents.updated_at), 0)), 0))
                % 4611686018427387904 AS bigint)
    FROM sources
    LEFT JOIN documents ON documents.source_id = sources.id AND documents.updated_at <= :began
    WHERE sources.corpus_id = :corpus_id AND sources.status = 'active'
    GROUP BY sources.id ORDER BY sources.id
    """
)


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A succeeded run whose votes are carried over."""

    id: UUID
    unchanged: frozenset[UUID]
    """Sources of both runs that have the documents that they had."""
    whole: bool
    """Whether all votes on a query of both runs are those of these sources in the earlier one."""
    any_failed: bool
    """Whether it has readings that failed."""


@dataclass(frozen=True, slots=True)
class CarriedQueries:
    """Queries that were carried over as a whole, and how many readings and votes they have."""

    query_ids: Collection[UUID]
    readings: int
    votes: int


def conditions(runtime: Runtime, parameters: EstimationParameters) -> bytes:
    """A digest of what votes depend on beside sources and queries. Raises `SettingsError` without a reader."""
    settings, reader = runtime.settings, runtime.require_reader()
    # Of questions in languages that the reader does not know.
    other = ChatReader(runtime.chat) if runtime.chat is not None else reader
    parts = (
        reader.name,
        reader.prompt_hash,
        other.name,
        other.prompt_hash,
        settings.reader,
        settings.reader_screened,
        runtime.embedder.name,
        settings.passages_per_source,
        settings.alignment_threshold,
        parameters.class_policy,
        READING_VERSION,
        KEYS_VERSION,
    )
    return digest(*map(str, parts))


async def source_states(session: AsyncSession, corpus: Corpus, began: datetime) -> dict[UUID, int]:
    """By active source, in the order of ids, a number that changes with the documents stored until `began`."""
    await session.execute(text(LONG_TIMEOUT))
    rows = await session.execute(SOURCE_STATES, {"corpus_id": corpus.id, "began": began})
    return dict(rows.all())


async def find_earlier(session: AsyncSession, run: EstimationRun) -> UUID | None:
    """The newest succeeded run of the corpus under the conditions of this one."""
    runs = select(EstimationRun.id).where(
        EstimationRun.corpus_id == run.corpus_id,
        EstimationRun.status == RunStatus.SUCCEEDED,
        EstimationRun.conditions == run.conditions,
    )
    earlier: UUID | None = await session.scalar(runs.order_by(EstimationRun.id.desc()).limit(1))
    return earlier


async def earlier_run(session: AsyncSession, run: EstimationRun) -> EarlierRun | None:
    """What the run carries over from; None where it reads everything."""
    if run.carried_from is None:
        return None
    columns = EstimationRun.source_ids, EstimationRun.source_states, EstimationRun.parameters
    found = {
        row.id: row
        for row in await session.execute(
            select(EstimationRun.id, EstimationRun.readings_failed, *columns).where(
                EstimationRun.id.in_([run.id, run.carried_from])
            )
        )
    }
    if run.carried_from not in found:
        return None
    rows = found[run.id], found[run.carried_from]
    now, before = (dict(zip(row.source_ids, row.source_states, strict=True)) for row in rows)
    given, given_before = (EstimationParameters.model_validate(row.parameters) for row in rows)
    unchanged = frozenset(source_id for source_id, state in now.items() if before.get(source_id) == state)
    selects = only_candidates(len(now), given.candidates_only)
    as_before = selects == only_candidates(len(before), given_before.candidates_only)
    by_source = not selects and given.class_policy is not ClassPolicy.FUZZY
    whole = as_before and (now == before or (by_source and len(unchanged) == len(now)))
    return EarlierRun(run.carried_from, unchanged, whole, found[run.carried_from].readings_failed > 0)


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
    await _copy_votes(session, run_id, earlier, query_ids, earlier.unchanged)
    readings, votes = (sum(counts.get(query_id, (0, 0))[part] for query_id in query_ids) for part in (0, 1))
    return CarriedQueries(query_ids, readings, votes)


async def readings_of(
    session: AsyncSession, earlier: EarlierRun, query_id: UUID, query: str
) -> dict[UUID, SourceReading]:
    """The readings of unchanged sources on a query that did not fail, without their passages; none where the query had
    another text.
    """
    rows = (
        select(Vote.source_id, Vote.status, Vote.answer_key, Vote.answer)
        .join(RunQuery, and_(RunQuery.estimation_id == Vote.estimation_id, RunQuery.query_id == Vote.query_id))
        .where(Vote.estimation_id == earlier.id, Vote.query_id == query_id, RunQuery.query_text == query)
        .where(Vote.status != ReadingStatus.FAILED)
    )
    return {
        source_id: SourceReading(ReadingStatus(status), answer_key, answer, cached=True)
        for source_id, status, answer_key, answer in await session.execute(rows)
        if source_id in earlier.unchanged
    }


async def carry_votes(
    session: AsyncSession,
    run_id: UUID,
    earlier: EarlierRun,
    query_id: UUID,
    readings: Mapping[UUID, SourceReading],
    keys: Mapping[UUID, str],
) -> None:
    """Take over these readings of a query, with the answer classes that they have now."""
    await _copy_votes(session, run_id, earlier, [query_id], readings)
    for source_id, reading in readings.items():
        # Fuzzy classes depend on the other answers.
        if reading.answer_key != keys.get(source_id):
            vote = update(Vote).where(
                Vote.estimation_id == run_id, Vote.query_id == query_id, Vote.source_id == source_id
            )
            await session.execute(vote.values(answer_key=keys[source_id]))


async def _copy_votes(
    session: AsyncSession,
    run_id: UUID,
    earlier: EarlierRun,
    query_ids: Collection[UUID],
    source_ids: Collection[UUID],
) -> None:
    columns = [column for column in Vote.__table__.columns if column.name != "estimation_id"]
    copied = select(literal(run_id, Uuid), *columns).where(
        Vote.estimation_id == earlier.id, Vote.query_id == _any(query_ids), Vote.source_id == _any(source_ids)
    )
    names = ["estimation_id", *(column.name for column in columns)]
    await session.execute(insert(Vote).from_select(names, copied))


def _any(identifiers: Collection[UUID]) -> CollectionAggregate[bool]:
    """As one parameter, however many they are."""
    return any_(literal(list(identifiers), ARRAY(Uuid)))
