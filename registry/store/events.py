"""Progress of runs and answers, for those who follow it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from sqlalchemy import delete, exists, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from registry.database.engine import Database
from registry.models import AnswerRecord, EstimationRun, Event, RunStatus
from registry.models.base import Json

FINAL = frozenset(status.value for status in RunStatus if status.ended)
POLL_SECONDS = 0.3
BATCH = 200


def publish(session: AsyncSession, subject_id: UUID, kind: str, data: Json) -> None:
    """Record a step of a run or an answer; those who follow it see it after the commit."""
    session.add(Event(subject_id=subject_id, kind=kind, data=data))


async def forget_corpus(session: AsyncSession, corpus_id: UUID) -> None:
    """Delete the steps of all runs and answers of a corpus, which has to be before these are."""
    subjects = union_all(
        select(EstimationRun.id).where(EstimationRun.corpus_id == corpus_id),
        select(AnswerRecord.id).where(AnswerRecord.corpus_id == corpus_id),
    )
    await session.execute(delete(Event).where(Event.subject_id.in_(subjects)))


async def after(session: AsyncSession, subject_id: UUID, last_id: int, limit: int = BATCH) -> Sequence[Event]:
    """The steps recorded after the event `last_id`."""
    newer = select(Event).where(Event.subject_id == subject_id, Event.id > last_id).order_by(Event.id).limit(limit)
    return (await session.scalars(newer)).all()


async def follow(database: Database, subject_id: UUID, last_id: int = 0) -> AsyncIterator[Event]:
    """All steps after `last_id`, as they happen; ends after the final one."""
    while True:
        async with database.begin() as session:
            steps = await after(session, subject_id, last_id)
            ended = not steps and await _ended_by(session, subject_id, last_id)
        for step in steps:
            last_id = step.id
            yield step
            if step.kind in FINAL:
                return
        if ended:
            return
        if not steps:
            await asyncio.sleep(POLL_SECONDS)


async def _ended_by(session: AsyncSession, subject_id: UUID, last_id: int) -> bool:
    final = select(Event.id).where(Event.subject_id == subject_id, Event.kind.in_(FINAL), Event.id <= last_id)
    return bool(await session.scalar(select(exists(final))))
