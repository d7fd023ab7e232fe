"""The pieces of a run: queries that one worker reads, with all their sources.

A piece is a row until its queries are read, and a job while it waits for a worker or is read by one. The process that
runs the estimation takes pieces off the queue too, and queues those again whose job was lost.
"""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from uuid import UUID

from procrastinate import App
from sqlalchemy import Select, delete, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.job_queue import READING, Job, defer, take, without_job
from registry.models import Query, RunPiece

JOB = Job("read", queue=READING)
# A piece takes seconds, so that workers end at about the same time and a stop waits for few; small runs have pieces
# for many workers too.
READINGS = 200
LEAST_PIECES = 128
# Of queries that are carried over as a whole, and of those of which a few sources are read: what a piece costs beside
# its readings is more than these.
CARRIED_READINGS = 20_000
LEAST_CARRIED_PIECES = 16


def cut(
    run_id: UUID,
    queries: Sequence[Query],
    source_count: int,
    *,
    readings: int = READINGS,
    least_pieces: int = LEAST_PIECES,
) -> list[RunPiece]:
    """The pieces of a run; queries of one text are in one piece, so that the second one finds its readings.

    A query has `source_count` readings, a piece about `readings`.
    """
    by_text: dict[str, dict[str, str]] = {}
    for query in queries:
        by_text.setdefault(query.text, {})[str(query.id)] = query.text
    groups = list(by_text.values())
    size = max(1, min(readings // max(source_count, 1), -(-len(groups) // least_pieces)))
    return [
        RunPiece(estimation_id=run_id, queries=dict(ChainMap(*groups[start : start + size])))
        for start in range(0, len(groups), size)
    ]


async def queue(session: AsyncSession, jobs: App, run_id: UUID) -> None:
    """Queue the pieces that neither wait nor are read as a job."""
    if lost := await without_job(session, JOB, _of(run_id)):
        await defer(session, jobs, JOB, *lost)


async def take_one(session: AsyncSession, run_id: UUID) -> RunPiece | None:
    """A piece that waited, off the queue; None if none waits."""
    for piece_id in await take(session, JOB, _of(run_id), limit=1):
        return await session.get(RunPiece, piece_id)
    return None


async def are_left(session: AsyncSession, run_id: UUID) -> bool:
    """Whether there are pieces that wait or are read."""
    return bool(await session.scalar(select(exists(_of(run_id)))))


async def queries_left(session: AsyncSession, run_id: UUID) -> Mapping[UUID, str]:
    """The texts of the queries in these pieces, by the identifiers of the queries."""
    pieces = await session.scalars(select(RunPiece.queries).where(RunPiece.estimation_id == run_id))
    return {UUID(query_id): text for queries in pieces for query_id, text in queries.items()}


async def drop(session: AsyncSession, run_id: UUID) -> None:
    """Delete the pieces that are left, with their jobs that wait."""
    await take(session, JOB, _of(run_id))
    await session.execute(delete(RunPiece).where(RunPiece.estimation_id == run_id))


def _of(run_id: UUID) -> Select[UUID]:
    return select(RunPiece.id).where(RunPiece.estimation_id == run_id)
