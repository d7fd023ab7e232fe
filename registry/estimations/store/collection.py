"""A run while its votes are collected: the pieces that are left, the queries that are read, and votes carried over.

A piece is a row until its queries are read, and a job while it waits for a worker or is read by one. The process that
runs the estimation takes pieces off the queue too, and queues those again whose job was lost.

A run takes from an earlier one all votes on the queries of both, where none can have changed. A vote depends on the
text of the query, on the documents of the sources (`corpus_state`), and on what `run_context.conditions` sums up.
Where any document or source changed, every query is searched and read again; readings of the same passages are kept, so
that this costs the searches.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from procrastinate import App
from sqlalchemy import ARRAY, Select, Uuid, any_, delete, exists, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased
from sqlalchemy.sql.elements import CollectionAggregate

from answering.enums import ReadingStatus
from registry.corpora.model import Corpus
from registry.documents.model import Document
from registry.estimations.model import ACTIVE_STATUSES, EstimationRun, RunPiece, RunQuery, Vote
from registry.estimations.store.votes import LONG_TIMEOUT
from registry.platform.database.base import Json
from registry.platform.database.engine import driver_connection
from registry.platform.database.job_queue import READING, Job, defer, take, without_job
from registry.platform.digest import digest
from registry.platform.enums import RunStatus
from registry.queries.model import JoinedAnswers
from registry.readings.model import MisreadingVerdict
from registry.sources.model import Source
from registry.votes.model import ImportedVote

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
# The columns of a vote but those of its run.
COPIED = [column.name for column in Vote.__table__.columns if column.name not in {"estimation_id", "misread"}]


COPY_IMPORTED = """
    COPY votes (estimation_id, query_id, source_id, status, answer, answer_key, stated, imported, document_ids,
                published_at)
    FROM STDIN
"""


@dataclass(frozen=True, slots=True)
class ReusedQueries:
    """Queries that were carried over, and how many readings and votes they have."""

    query_ids: Collection[UUID]
    readings: int
    votes: int


async def source_ids_of(session: AsyncSession, run: EstimationRun) -> Sequence[UUID]:
    """The sources that the run reads; none until it is cut into pieces."""
    return await session.scalar(select(EstimationRun.source_ids).where(EstimationRun.id == run.id)) or ()


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


async def copy_imported(session: AsyncSession, rows: Iterable[tuple[object, ...]]) -> int:
    """Write imported votes, given in the columns of `COPY_IMPORTED`; returns how many they are."""
    raw, count = await driver_connection(session), 0
    async with raw.cursor() as cursor, cursor.copy(COPY_IMPORTED) as copy:
        for row in rows:
            await copy.write_row(row)
            count += 1
    return count


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


async def corpus_state(session: AsyncSession, corpus: Corpus, began: datetime) -> tuple[list[UUID], bytes]:
    """The active sources in the order of ids, and a digest that changes with them and their documents until `began`."""
    await session.execute(text(LONG_TIMEOUT))
    rows = (await session.execute(SOURCE_STATES, {"corpus_id": corpus.id, "began": began})).all()
    return [source_id for source_id, _ in rows], digest(*(f"{source_id} {state}" for source_id, state in rows))


async def carried_from(session: AsyncSession, run: EstimationRun) -> UUID | None:
    """The newest succeeded run of the corpus in this state and under these conditions, if there is one."""
    runs = select(EstimationRun.id).where(
        EstimationRun.corpus_id == run.corpus_id,
        EstimationRun.status == RunStatus.SUCCEEDED,
        EstimationRun.conditions == run.conditions,
        EstimationRun.corpus_state == run.corpus_state,
    )
    return (await session.scalars(runs.order_by(EstimationRun.id.desc()).limit(1))).one_or_none()


async def known_queries(session: AsyncSession, earlier: UUID, queries: Mapping[UUID, str]) -> set[UUID]:
    """The queries, given with their texts, that the earlier run read with this text and without failures."""
    vote = aliased(Vote)
    # Failures are tried again, and what people say of readings may have changed, and imported votes.
    open_to_change = exists().where(
        vote.estimation_id == RunQuery.estimation_id,
        vote.query_id == RunQuery.query_id,
        vote.status.in_([ReadingStatus.FAILED, ReadingStatus.MISREAD]),
    )
    of_run = select(EstimationRun.corpus_id).where(EstimationRun.id == earlier).scalar_subquery()
    judged = select(MisreadingVerdict.question).where(MisreadingVerdict.corpus_id == of_run)
    joined = select(JoinedAnswers.question).where(JoinedAnswers.corpus_id == of_run)
    rows = select(RunQuery.query_id, RunQuery.query_text).where(
        RunQuery.estimation_id == earlier,
        RunQuery.query_id == _any(queries),
        RunQuery.query_text.not_in(judged),
        RunQuery.query_text.not_in(joined),
        ~exists().where(ImportedVote.query_id == RunQuery.query_id),
        ~open_to_change,
    )
    return {query_id for query_id, query in await session.execute(rows) if queries[query_id] == query}


async def reuse_queries(
    session: AsyncSession, run_id: UUID, earlier: UUID, queries: Mapping[UUID, str]
) -> ReusedQueries:
    """Take over all votes on those of the queries that are known; those that the run has already are left out."""
    known = await known_queries(session, earlier, queries)
    if not known:
        return ReusedQueries((), 0, 0)
    counted = (
        select(Vote.query_id, func.count(), func.count(Vote.answer_key))
        .where(Vote.estimation_id == earlier, Vote.query_id == _any(known))
        .group_by(Vote.query_id)
    )
    counts = {query_id: (readings, votes) for query_id, readings, votes in await session.execute(counted)}
    collected = {query_id: (queries[query_id], counts.get(query_id, (0, 0))[1]) for query_id in known}
    query_ids = await add_queries(session, run_id, collected)
    copied = select(literal(run_id, Uuid), *(Vote.__table__.columns[name] for name in COPIED)).where(
        Vote.estimation_id == earlier, Vote.query_id == _any(query_ids)
    )
    await session.execute(insert(Vote).from_select(["estimation_id", *COPIED], copied))
    readings, votes = (sum(counts.get(query_id, (0, 0))[part] for query_id in query_ids) for part in (0, 1))
    return ReusedQueries(query_ids, readings, votes)


def _any(identifiers: Collection[UUID]) -> CollectionAggregate[bool]:
    """The values as one parameter, however many they are."""
    return any_(literal(list(identifiers), ARRAY(Uuid)))
