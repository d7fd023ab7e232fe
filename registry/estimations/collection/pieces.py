"""The pieces of a run: queries that one worker reads, with all their sources.

A piece is a row until its queries are read, and a job while it waits for a worker or is read by one. The process that
runs the estimation takes pieces off the queue too, and queues those again whose job was lost.
"""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from math import ceil
from uuid import UUID

from procrastinate import App
from sqlalchemy import Select, delete, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.estimations.model import RunPiece
from registry.platform.database.job_queue import READING, Job, defer, take, without_job
from registry.queries.model import Query

JOB = Job("read", queue=READING)
# A piece takes seconds, so that a stop waits for few readings.
READINGS = 200
# Each piece is at most this part of the queries that are left, so that the first ones cost little beside their readings
# and the last ones, of one query, end at about the same time: guided self-scheduling (Polychronopoulos and Kuck 1987,
# doi:10.1109/TC.1987.5009495), for some tens of workers. Eight workers that made 5,000 readings in 40 s were all busy
# until the last three seconds; with 125 pieces of one size, until the last seven.
PART_LEFT = 1 / 64
# Of queries that are carried over: what a piece costs beside its readings is more than these.
CARRIED_READINGS = 20_000


def cut(
    run_id: UUID,
    queries: Sequence[Query],
    source_count: int,
    *,
    readings: int = READINGS,
    part_left: float = PART_LEFT,
) -> list[RunPiece]:
    """The pieces of a run, the largest first; queries of one text are in one piece, so that the second one finds its
    readings.

    A query has `source_count` readings, a piece at most about `readings`.
    """
    by_text: dict[str, dict[str, str]] = {}
    for query in queries:
        by_text.setdefault(query.text, {})[str(query.id)] = query.text
    groups = list(by_text.values())
    most = max(1, readings // max(source_count, 1))
    pieces, start = list[RunPiece](), 0
    while left := len(groups) - start:
        end = start + min(most, ceil(left * part_left))
        pieces.append(RunPiece(estimation_id=run_id, queries=dict(ChainMap(*groups[start:end]))))
        start = end
    return pieces


async def queue(session: AsyncSession, jobs: App, run_id: UUID) -> None:
    """Queue the pieces that neither wait nor are read as a job."""
    if lost := await without_job(session, JOB, _of(run_id).order_by(RunPiece.id)):
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
