"""A run while its votes are collected: its sources and queries, the pieces that are left, and votes on what is read.

A piece is a row until its queries are read, and a job while it waits for a worker or is read by one. The process that
runs the estimation takes pieces off the queue too, and queues those again whose job was lost.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from procrastinate import App
from sqlalchemy import Select, delete, exists, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Vector
from answering.questions.asked_period import AskedPeriod, asked_period
from answering.voting import ReadingStatus, SourceReading
from registry.corpora.model import Corpus
from registry.documents.model import Document, StatedValue
from registry.estimations.model import ACTIVE_STATUSES, EstimationRun, RunPiece, RunQuery, Vote
from registry.estimations.schemas import EstimationParameters
from registry.platform.database.base import Json
from registry.platform.database.engine import LONG_TIMEOUT
from registry.platform.database.job_queue import READING, Job, defer, take, without_job
from registry.platform.digest import digest
from registry.platform.enums import AnswerPolicy, QueryOrigin, RunStatus, SourceStatus
from registry.queries.model import Query
from registry.queries.store import MIN_STATING
from registry.readings.model import reading_id
from registry.sources.model import Source

READ_JOB = Job("read", queue=READING)

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
# The queries of a run to which several answers may be true.
MARK_SEVERAL = text(
    f"""
    UPDATE estimation_queries AS asked SET several = true
    FROM queries JOIN corpora ON corpora.id = queries.corpus_id
    WHERE asked.estimation_id = :run AND queries.id = asked.query_id
        AND coalesce(queries.answers, corpora.answers) = '{AnswerPolicy.SEVERAL}'
    """  # noqa: S608  (our own words)
)


@dataclass(frozen=True, slots=True)
class RunContext:
    """A run that goes on, and what it reads."""

    id: UUID
    corpus: Corpus
    parameters: EstimationParameters
    source_ids: Sequence[UUID]
    began: datetime
    """Documents stored later are left to the next run, so that no source counts for a part of the queries only."""
    reused_run_id: UUID | None = None
    """The run whose votes are reused."""


async def run_context(session: AsyncSession, run: EstimationRun) -> RunContext:
    """The context from the row of the run; it has no sources until the queries are cut."""
    corpus = await session.get_one(Corpus, run.corpus_id)
    source_ids = await session.scalar(select(EstimationRun.source_ids).where(EstimationRun.id == run.id)) or ()
    parameters = EstimationParameters.model_validate(run.parameters)
    began = run.started_at or run.created_at
    return RunContext(run.id, corpus, parameters, source_ids, began, run.reused_run_id)


@dataclass(frozen=True, slots=True)
class AskedQuery:
    id: UUID
    text: str
    vector: Vector
    period: AskedPeriod | None = None
    """The period that it asks about, counted from when it was added."""


@dataclass(frozen=True, slots=True)
class CollectedQuery:
    """A query with its readings and their answer classes."""

    query: AskedQuery
    readings: Mapping[UUID, SourceReading]
    keys: Mapping[UUID, str]


async def queries_to_read(session: AsyncSession, corpus: Corpus, origin: QueryOrigin | None = None) -> Sequence[Query]:
    """The queries that an estimation uses: the active ones, or those that came from there, without those of stated
    values that less than two active sources state by now.
    """
    stating = (
        select(func.count(StatedValue.source_id.distinct()))
        .join(Source, Source.id == StatedValue.source_id)
        .where(
            StatedValue.corpus_id == Query.corpus_id,
            StatedValue.subject_key == Query.subject_key,
            StatedValue.relation == Query.relation,
            Source.status == SourceStatus.ACTIVE,
        )
        .scalar_subquery()
    )
    rows = select(Query).where(
        Query.corpus_id == corpus.id, Query.active, or_(Query.relation.is_(None), stating >= MIN_STATING)
    )
    if origin is not None:
        rows = rows.where(Query.origin == origin)
    return (await session.scalars(rows.order_by(Query.id))).all()


async def voted_queries(session: AsyncSession, corpus: Corpus, after: UUID, limit: int) -> dict[UUID, str]:
    """The texts of so many active queries that came with votes, by their identifiers, in the order of these."""
    rows = select(Query.id, Query.text).where(Query.corpus_id == corpus.id, Query.origin == QueryOrigin.VOTES)
    rows = rows.where(Query.active, Query.id > after).order_by(Query.id).limit(limit)
    return dict((await session.execute(rows)).all())


async def periods_of(
    session: AsyncSession, run: RunContext, queries: Sequence[tuple[UUID, str]]
) -> Mapping[UUID, AskedPeriod | None]:
    """The periods that queries ask about, of those that do, counted from when each was added."""
    if run.parameters.paper:
        return {}
    naming = {query_id: query for query_id, query in queries if asked_period(query, run.began)}
    if not naming:
        return {}
    added = await session.execute(select(Query.id, Query.created_at).where(Query.id.in_(naming)))
    return {query_id: asked_period(naming[query_id], time) for query_id, time in added}


async def any_newer(session: AsyncSession, corpus: Corpus, began: datetime) -> bool:
    """Whether a document of the corpus was stored after that time."""
    newer = select(Document.id).join(Source, Source.id == Document.source_id)
    newer = newer.where(Source.corpus_id == corpus.id, Document.updated_at > began)
    return bool(await session.scalar(select(exists(newer))))


async def goes_on(session: AsyncSession, run_id: UUID) -> bool:
    """Whether the run has not ended, and nobody asked it to stop."""
    row = select(EstimationRun.status.in_(ACTIVE_STATUSES) & ~EstimationRun.cancel_requested)
    return bool(await session.scalar(row.where(EstimationRun.id == run_id)))


async def add_counts(session: AsyncSession, run_id: UUID, more: Mapping[str, int], shown: Iterable[str]) -> Json:
    """Add to the counts of the run, whose row is then locked; returns those to show, and whether it shall stop."""
    columns = EstimationRun.__table__.columns
    statement = (
        update(EstimationRun)
        .where(EstimationRun.id == run_id)
        .values({name: columns[name] + count for name, count in more.items()})
        .returning(EstimationRun.cancel_requested, *(columns[name] for name in shown))
    )
    return (await session.execute(statement)).one()._asdict()


async def collected_queries(session: AsyncSession, run_id: UUID, query_ids: Collection[UUID]) -> set[UUID]:
    rows = select(RunQuery.query_id).where(RunQuery.estimation_id == run_id, RunQuery.query_id.in_(query_ids))
    return set(await session.scalars(rows))


async def add_queries(
    session: AsyncSession, run_id: UUID, collected: Mapping[UUID, tuple[str, int]]
) -> frozenset[UUID]:
    """Insert queries that are read, with texts and numbers of votes; returns those that no other worker inserted."""
    rows = [
        {"estimation_id": run_id, "query_id": query_id, "query_text": query, "vote_count": votes}
        # In one order everywhere, or two workers would wait for each other.
        for query_id, (query, votes) in sorted(collected.items())
    ]
    added = insert(RunQuery).on_conflict_do_nothing().returning(RunQuery.query_id)
    return frozenset(await session.scalars(added, rows)) if rows else frozenset()


async def write_votes(session: AsyncSession, run_id: UUID, collected: Sequence[CollectedQuery]) -> dict[str, int]:
    """Write the votes on queries that have none; returns what to add to the counts of the run: nothing if all had
    votes, by a worker that was taken for dead.
    """
    by_id = {each.query.id: each for each in collected}
    counted = {query_id: (each.query.text, len(each.keys)) for query_id, each in by_id.items()}
    added = {query_id: by_id[query_id] for query_id in await add_queries(session, run_id, counted)}
    if not added:
        return {}
    session.add_all(
        _vote(run_id, each.query, source_id, reading, each.keys.get(source_id))
        for each in added.values()
        for source_id, reading in each.readings.items()
        if reading.status is not ReadingStatus.NO_PASSAGES
    )
    readings = [reading for each in added.values() for reading in each.readings.values()]
    read = sum(reading.status is not ReadingStatus.NO_PASSAGES and not reading.stated for reading in readings)
    failed = sum(reading.error is not None for reading in readings)
    cached = sum(reading.cached for reading in readings)
    return {
        "queries_collected": len(added),
        "readings_made": read - failed - cached,
        "readings_cached": cached,
        "readings_failed": failed,
        "votes_total": sum(len(each.keys) for each in added.values()),
    }


def _vote(run_id: UUID, query: AskedQuery, source_id: UUID, reading: SourceReading, key: str | None) -> Vote:
    return Vote(
        estimation_id=run_id,
        query_id=query.id,
        source_id=source_id,
        status=reading.status,
        answer=reading.answer,
        answer_key=key,
        alignment=reading.alignment,
        confidence=reading.confidence if key is not None else None,
        stated=reading.stated,
        imported=reading.imported,
        reading_id=reading_id(query.text, reading),
        document_ids=list(reading.document_ids),
        published_at=reading.published_at if key is not None else None,
    )


async def queue_pieces(session: AsyncSession, jobs: App, run_id: UUID) -> None:
    """Queue the pieces that neither wait nor are read as a job."""
    if lost := await without_job(session, READ_JOB, _pieces_of(run_id).order_by(RunPiece.id)):
        await defer(session, jobs, READ_JOB, *lost)


async def take_piece(session: AsyncSession, run_id: UUID) -> RunPiece | None:
    """A piece that waited, off the queue; None if none waits."""
    for piece_id in await take(session, READ_JOB, _pieces_of(run_id), limit=1):
        return await session.get(RunPiece, piece_id)
    return None


async def pieces_left(session: AsyncSession, run_id: UUID) -> bool:
    """Whether there are pieces that wait or are read."""
    return bool(await session.scalar(select(exists(_pieces_of(run_id)))))


async def queries_left(session: AsyncSession, run_id: UUID) -> Mapping[UUID, str]:
    """The texts of the queries in these pieces, by the identifiers of the queries."""
    pieces = await session.scalars(select(RunPiece.queries).where(RunPiece.estimation_id == run_id))
    return {UUID(query_id): text for queries in pieces for query_id, text in queries.items()}


async def drop_pieces(session: AsyncSession, run_id: UUID) -> None:
    """Delete the pieces that are left, with their jobs that wait."""
    await take(session, READ_JOB, _pieces_of(run_id))
    await session.execute(delete(RunPiece).where(RunPiece.estimation_id == run_id))


async def delete_piece(session: AsyncSession, piece: RunPiece) -> None:
    """Delete a piece whose queries are read."""
    await session.execute(delete(RunPiece).where(RunPiece.id == piece.id))


def _pieces_of(run_id: UUID) -> Select[UUID]:
    return select(RunPiece.id).where(RunPiece.estimation_id == run_id)


async def mark_several(session: AsyncSession, run_id: UUID) -> None:
    """Mark the queries to which several answers may be true, as is said of them now."""
    await session.execute(MARK_SEVERAL, {"run": run_id})


async def corpus_state(session: AsyncSession, corpus: Corpus, began: datetime) -> tuple[list[UUID], bytes]:
    """The active sources in the order of ids, and a digest that changes with them and their documents until `began`."""
    await session.execute(text(LONG_TIMEOUT))
    rows = (await session.execute(SOURCE_STATES, {"corpus_id": corpus.id, "began": began})).all()
    return [source_id for source_id, _ in rows], digest(*(f"{source_id} {state}" for source_id, state in rows))


async def reusable_run(session: AsyncSession, run: EstimationRun) -> UUID | None:
    """The newest succeeded run of the corpus in this state and under these conditions, if there is one."""
    runs = select(EstimationRun.id).where(
        EstimationRun.corpus_id == run.corpus_id,
        EstimationRun.status == RunStatus.SUCCEEDED,
        EstimationRun.conditions == run.conditions,
        EstimationRun.corpus_state == run.corpus_state,
    )
    return (await session.scalars(runs.order_by(EstimationRun.id.desc()).limit(1))).one_or_none()
