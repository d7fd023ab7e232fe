"""Ticks: one leader, by advisory lock, watches the schedules; a tick only queues a run."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import structlog
from apscheduler.events import EVENT_JOB_SUBMITTED, JobSubmissionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from estimator.errors import CredenceError
from registry.database import job_queue
from registry.database.locks import still_held, try_lock
from registry.errors import Conflict, DatabaseUnavailable
from registry.inputs.estimations import EstimationParameters
from registry.models import Corpus, Schedule, Tick, Trigger
from registry.runtime import Runtime
from registry.store import estimations
from registry.store.schedules import trigger_of

log = structlog.get_logger(__name__)

LEADER = "scheduler"
# How soon a changed schedule, or the loss of the leader, is noticed.
SYNC_SECONDS = 2.0
# A tick missed by more, because no leader lived, is not made up for: the next one does the same work.
MISFIRE_SECONDS = 300


async def run_scheduler(runtime: Runtime, *, stop: asyncio.Event) -> None:
    """Lead if nobody else does, else wait to; until `stop` is set. Goes on after the database was away."""
    while not stop.is_set():
        try:
            async with try_lock(runtime.database, LEADER) as lock:
                if lock is not None:
                    await _lead(runtime, stop, lambda: still_held(lock))
        except (DatabaseUnavailable, SQLAlchemyError) as error:
            log.warning("scheduler_lost_database", error=str(error))
        await _wait(stop)


async def tick(runtime: Runtime, schedule_id: UUID, due_at: datetime) -> UUID | None:
    """Queue the run of one due time, at most once however often this is called; None if it is skipped."""
    async with runtime.database.begin() as session:
        schedule = await session.get(Schedule, schedule_id)
        if schedule is None or not schedule.enabled:
            return None
        claim = insert(Tick).values(schedule_id=schedule_id, due_at=due_at).on_conflict_do_nothing().returning(Tick)
        claimed = await session.scalar(claim)
        if claimed is None:
            return None
        corpus = await session.get_one(Corpus, schedule.corpus_id)
        parameters = EstimationParameters.model_validate(schedule.parameters)
        try:
            run = await estimations.create(session, corpus, parameters, Trigger.SCHEDULE, schedule_id)
        except Conflict as conflict:
            claimed.skipped_because = str(conflict)
            log.info("tick_skipped", schedule=schedule.name, why=str(conflict))
            return None
        claimed.estimation_id = run.id
        await job_queue.defer(session, runtime.jobs, job_queue.ESTIMATE, run.id)
    log.info("tick", schedule=schedule.name, estimation_id=str(run.id))
    return run.id


async def _lead(runtime: Runtime, stop: asyncio.Event, still_leader: Callable[[], Coroutine[Any, Any, bool]]) -> None:
    scheduler = AsyncIOScheduler(timezone=UTC, job_defaults={"coalesce": True, "misfire_grace_time": MISFIRE_SECONDS})
    due_times: dict[str, datetime] = {}

    def remember(event: JobSubmissionEvent) -> None:
        due_times[event.job_id] = event.scheduled_run_times[-1].astimezone(UTC)

    async def fire(schedule_id: str) -> None:
        try:
            await tick(runtime, UUID(schedule_id.partition("@")[0]), due_times[schedule_id])
        except CredenceError as error:
            log.warning("tick_failed", schedule_id=schedule_id, error=str(error))

    # The due time, not the clock, is what makes a tick unique among leaders.
    scheduler.add_listener(remember, EVENT_JOB_SUBMITTED)
    scheduler.start()
    log.info("scheduler_leads")
    try:
        while not stop.is_set() and await still_leader():
            await _sync(runtime, scheduler, fire)
            await _wait(stop)
    finally:
        scheduler.shutdown(wait=False)


async def _sync(
    runtime: Runtime, scheduler: AsyncIOScheduler, fire: Callable[[str], Coroutine[Any, Any, None]]
) -> None:
    """Make the scheduler's jobs those of the enabled schedules. A changed schedule is another job."""
    async with runtime.database.begin() as session:
        enabled = (await session.scalars(select(Schedule).where(Schedule.enabled))).all()
    wanted = {f"{schedule.id}@{schedule.updated_at.timestamp()}": schedule for schedule in enabled}
    present = {job.id for job in scheduler.get_jobs()}
    for job_id in present - wanted.keys():
        scheduler.remove_job(job_id)
    for job_id in wanted.keys() - present:
        scheduler.add_job(fire, trigger_of(wanted[job_id]), args=[job_id], id=job_id)


async def _wait(stop: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(stop.wait(), SYNC_SECONDS)
    except TimeoutError:
        return
