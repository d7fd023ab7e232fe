"""Schedules in the database, and the due times that are taken."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete as delete_rows
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from registry.corpora.model import Corpus
from registry.events import audit
from registry.platform.database.paging import Page
from registry.platform.database.rows import get_row, lock_for_update, page_of_rows
from registry.platform.enums import AuditAction
from registry.platform.errors import Conflict
from registry.schedules.model import Schedule, Tick
from registry.schedules.schemas import ScheduleInput, SchedulePatch

GENERATION = "generate_queries"
"""Name of the job that a schedule with `generate` starts."""
AUDITED = tuple(name for name in ScheduleInput.model_fields if name != "generate")


async def create(
    session: AsyncSession, corpus: Corpus, values: ScheduleInput, *, other_job: dict[str, Any] | None = None
) -> Schedule:
    """A new schedule of estimations or generations, or of `other_job`: its parameters with its name as `kind`.

    Raises `Conflict` if the corpus has a schedule of that name.
    """
    fields = values.model_dump(mode="json")
    generate = fields.pop("generate")
    if generate is not None:
        fields["parameters"] = {"kind": GENERATION, **generate}
    elif other_job is not None:
        fields["parameters"] = other_job
    schedule = Schedule(corpus_id=corpus.id, **fields)
    session.add(schedule)
    await _flush(session, values.name)
    after = audit.values_of(schedule, AUDITED)
    audit.record(session, AuditAction.SCHEDULE_CREATED, schedule.id, corpus.id, after=after)
    return schedule


async def get(session: AsyncSession, corpus: Corpus, schedule_id: UUID) -> Schedule:
    """A schedule of the corpus; raises `NotFound`."""
    return await get_row(session, Schedule, corpus.id, schedule_id)


async def page(session: AsyncSession, corpus: Corpus, *, cursor: str | None, limit: int) -> Page[Schedule]:
    """The schedules of the corpus, oldest first."""
    return await page_of_rows(session, Schedule, corpus.id, cursor=cursor, limit=limit)


async def update(session: AsyncSession, corpus: Corpus, schedule_id: UUID, patch: SchedulePatch) -> Schedule:
    """Change a schedule; a running scheduler applies the change within seconds."""
    schedule = await get(session, corpus, schedule_id)
    if patch.parameters is not None and "kind" in schedule.parameters:
        raise Conflict(f"Schedule {schedule.name!r} starts no estimations; its parameters stay as they are.")
    before = audit.values_of(schedule, AUDITED)
    for field, value in patch.model_dump(mode="json", exclude_none=True).items():
        setattr(schedule, field, value)
    await _flush(session, schedule.name)
    await session.refresh(schedule)
    after = audit.values_of(schedule, AUDITED)
    audit.record(session, AuditAction.SCHEDULE_CHANGED, schedule.id, corpus.id, before=before, after=after)
    return schedule


async def delete(session: AsyncSession, corpus: Corpus, schedule_id: UUID) -> None:
    """Delete a schedule; the estimations that it started stay."""
    schedule = await get(session, corpus, schedule_id)
    await lock_for_update(session, schedule, "schedule", schedule_id)
    await session.delete(schedule)
    audit.record(
        session, AuditAction.SCHEDULE_DELETED, schedule_id, corpus.id, before=audit.values_of(schedule, AUDITED)
    )


async def enabled(session: AsyncSession) -> Sequence[Schedule]:
    """The schedules of all corpora that are not switched off."""
    return (await session.scalars(select(Schedule).where(Schedule.enabled))).all()


async def take_tick(session: AsyncSession, schedule_id: UUID, due_at: datetime) -> Tick | None:
    """The row of a due time; None if there is one already."""
    tick = insert(Tick).values(schedule_id=schedule_id, due_at=due_at).on_conflict_do_nothing().returning(Tick)
    return (await session.scalars(tick)).one_or_none()


async def last_tick(session: AsyncSession) -> datetime | None:
    """The latest due time that was taken."""
    return await session.scalar(select(func.max(Tick.due_at)))


async def forget_ticks_after(session: AsyncSession, time: datetime) -> None:
    """Delete the due times that lie after it."""
    await session.execute(delete_rows(Tick).where(Tick.due_at > time))


async def _flush(session: AsyncSession, name: str) -> None:
    try:
        async with session.begin_nested():
            await session.flush()
    except IntegrityError as error:
        raise Conflict(f"This corpus already has a schedule named {name!r}.") from error
