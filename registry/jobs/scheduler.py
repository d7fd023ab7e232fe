"""The scheduler: one process, elected by an advisory lock, queues a job at each due time and after new documents."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from apscheduler.events import EVENT_JOB_SUBMITTED, JobSubmissionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from estimator.errors import CredenceError
from registry.corpora.model import Corpus
from registry.estimations import jobs as estimation
from registry.job_kind import JobKind, Scheduling
from registry.jobs import kinds
from registry.jobs.following import follow_documents
from registry.platform.database.base import DatabaseError
from registry.platform.database.job_queue import defer_unless_waiting
from registry.platform.database.locks import still_held, try_lock
from registry.platform.errors import Conflict, DatabaseUnavailable, InvalidInput
from registry.runtime import Runtime
from registry.schedules import store as schedules
from registry.schedules.model import Schedule
from registry.schedules.times import trigger_of

log = structlog.get_logger(__name__)

LEADER_LOCK = "scheduler"
# How soon a changed schedule, or the death of the leader, is noticed.
SYNC_SECONDS = 2.0
# A due time missed by more, because no leader lived, is not made up for: the next one does the same work.
MISFIRE_SECONDS = 300
# A clock that goes back by less is being adjusted.
CLOCK_STEP = timedelta(seconds=30)
# How often changed documents are looked for, and the job that does it.
LOOKS_PER_QUIET_TIME = 6
FOLLOW = "follow_documents"
# A schedule names its kind of job in its parameters, if it is another one.
DEFAULT_KIND = estimation.KIND.job.name


def now() -> datetime:
    return datetime.now(UTC)


async def run_scheduler(runtime: Runtime, *, stop: asyncio.Event) -> None:
    """Lead, or wait for the leader to end, until `stop` is set; reconnects when the database was away."""
    while not stop.is_set():
        try:
            async with try_lock(runtime.database, LEADER_LOCK) as lock:
                if lock is not None:
                    await _lead(runtime, stop, lambda: still_held(lock))
        except (DatabaseUnavailable, DatabaseError) as error:
            log.warning("scheduler_lost_database", error=error)
        await _wait(stop)


async def tick(runtime: Runtime, schedule_id: UUID, due_at: datetime) -> UUID | None:
    """Create and queue the subject of one due time, at most once; returns its identifier, or None if it is skipped."""
    async with runtime.database.begin() as session:
        schedule = await session.get(Schedule, schedule_id)
        if schedule is None or not schedule.enabled:
            return None
        row = await schedules.take_tick(session, schedule_id, due_at)
        if row is None:
            return None
        corpus = await session.get_one(Corpus, schedule.corpus_id)
        parameters = dict(schedule.parameters)
        kind, scheduling = _kind_named(parameters.pop("kind", DEFAULT_KIND))
        try:
            subject_id = await scheduling.create(
                session, corpus, scheduling.parameters.model_validate(parameters), schedule_id
            )
        except Conflict as conflict:
            row.skipped_because = str(conflict)
            log.info("tick_skipped", schedule=schedule.name, why=conflict)
            return None
        row.estimation_id = subject_id
        await defer_unless_waiting(session, runtime.jobs, kind.job, subject_id)
    log.info("tick", schedule=schedule.name, kind=kind.job.name, subject_id=str(subject_id))
    return subject_id


def _kind_named(name: str) -> tuple[JobKind, Scheduling[Any]]:
    for kind in kinds.KINDS:
        if kind.job.name == name and kind.scheduling is not None:
            return kind, kind.scheduling
    raise InvalidInput(f"There is no job {name!r} that can be scheduled.")


async def _lead(runtime: Runtime, stop: asyncio.Event, is_leader: Callable[[], Coroutine[Any, Any, bool]]) -> None:
    scheduler = AsyncIOScheduler(timezone=UTC, job_defaults={"coalesce": True, "misfire_grace_time": MISFIRE_SECONDS})
    due_times: dict[str, datetime] = {}

    def remember(event: JobSubmissionEvent) -> None:
        due_times[event.job_id] = event.scheduled_run_times[-1].astimezone(UTC)

    async def fire(job_id: str) -> None:
        try:
            await tick(runtime, UUID(job_id.partition("@")[0]), due_times[job_id])
        except CredenceError as error:
            log.warning("tick_failed", schedule_id=job_id, error=error)

    async def follow() -> None:
        try:
            await follow_documents(runtime)
        except (CredenceError, DatabaseError) as error:
            log.warning("follow_failed", error=error)

    if runtime.settings.follow_seconds and runtime.reader is not None:
        seconds = runtime.settings.follow_seconds / LOOKS_PER_QUIET_TIME
        scheduler.add_job(follow, IntervalTrigger(seconds=seconds, timezone=UTC), id=FOLLOW)
    # The due time, unlike the time at which it fires, is the same for successive leaders.
    scheduler.add_listener(remember, EVENT_JOB_SUBMITTED)
    scheduler.start()
    log.info("scheduler_leads")
    # An earlier leader may have worked by a clock that was ahead.
    async with runtime.database.begin() as session:
        looked_at = await schedules.last_tick(session) or now()
    try:
        while not stop.is_set() and await is_leader():
            if now() < looked_at - CLOCK_STEP:
                await _forget_the_future(runtime, scheduler)
            looked_at = now()
            await _sync(runtime, scheduler, fire)
            await _wait(stop)
    finally:
        scheduler.shutdown(wait=False)


async def _forget_the_future(runtime: Runtime, scheduler: AsyncIOScheduler) -> None:
    """Repair the schedule after the clock was set back: nothing waits for later times, nor counts as done."""
    log.warning("clock_set_back")
    for job in scheduler.get_jobs():
        job.reschedule(job.trigger) if job.id == FOLLOW else job.remove()
    async with runtime.database.begin() as session:
        await schedules.forget_ticks_after(session, now())


async def _sync(
    runtime: Runtime, scheduler: AsyncIOScheduler, fire: Callable[[str], Coroutine[Any, Any, None]]
) -> None:
    """Make the jobs of APScheduler those of the enabled schedules; a changed schedule is a new job."""
    async with runtime.database.begin() as session:
        enabled = await schedules.enabled(session)
    wanted = {f"{schedule.id}@{schedule.updated_at.timestamp()}": schedule for schedule in enabled}
    present = {job.id for job in scheduler.get_jobs()} - {FOLLOW}
    for job_id in present - wanted.keys():
        scheduler.remove_job(job_id)
    for job_id in wanted.keys() - present:
        scheduler.add_job(fire, trigger_of(wanted[job_id]), args=[job_id], id=job_id)


async def _wait(stop: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), SYNC_SECONDS)
