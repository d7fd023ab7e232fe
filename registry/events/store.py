"""Progress events of estimations and answers, and the audit log."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from sqlalchemy import delete, exists, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from registry.answers.model import AnswerRecord
from registry.corpora.model import Corpus
from registry.estimations.model import EstimationRun
from registry.events.model import AuditEvent, Event
from registry.platform.database.base import Json
from registry.platform.database.engine import Database
from registry.platform.database.paging import Page, paginate
from registry.platform.enums import RunStatus

FINAL_KINDS = frozenset(status.value for status in RunStatus if status.ended)
POLL_SECONDS = 0.3
BATCH = 200


def publish(session: AsyncSession, subject_id: UUID, kind: str, data: Json) -> None:
    """Add an event of an estimation or an answer; followers see it after the commit."""
    session.add(Event(subject_id=subject_id, kind=kind, data=data))


async def delete_events(session: AsyncSession, corpus_id: UUID) -> None:
    """Delete the events of all estimations and answers of a corpus; these must still exist."""
    subjects = union_all(
        select(EstimationRun.id).where(EstimationRun.corpus_id == corpus_id),
        select(AnswerRecord.id).where(AnswerRecord.corpus_id == corpus_id),
    )
    await session.execute(delete(Event).where(Event.subject_id.in_(subjects)))


async def after(session: AsyncSession, subject_id: UUID, last_id: int, limit: int = BATCH) -> Sequence[Event]:
    """The first events of the subject after the event `last_id`, in order."""
    newer = select(Event).where(Event.subject_id == subject_id, Event.id > last_id).order_by(Event.id).limit(limit)
    return (await session.scalars(newer)).all()


async def follow(database: Database, subject_id: UUID, last_id: int = 0) -> AsyncIterator[Event]:
    """The events after `last_id` as they are committed, up to the final one."""
    while True:
        async with database.begin() as session:
            batch = await after(session, subject_id, last_id)
            ended = not batch and await _ended_by(session, subject_id, last_id)
        for event in batch:
            last_id = event.id
            yield event
            if event.kind in FINAL_KINDS:
                return
        if ended:
            return
        if not batch:
            await asyncio.sleep(POLL_SECONDS)


async def _ended_by(session: AsyncSession, subject_id: UUID, last_id: int) -> bool:
    final = select(Event.id).where(Event.subject_id == subject_id, Event.kind.in_(FINAL_KINDS), Event.id <= last_id)
    return bool(await session.scalar(select(exists(final))))


async def audit_page(
    session: AsyncSession, corpus: Corpus | None, *, cursor: str | None, limit: int
) -> Page[AuditEvent]:
    """The changes in a corpus, or all, the newest first."""
    rows = select(AuditEvent)
    if corpus is not None:
        rows = rows.where(AuditEvent.corpus_id == corpus.id)
    return await paginate(session, rows, AuditEvent.id, cursor=cursor, limit=limit, newest_first=True)
