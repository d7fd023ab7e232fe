"""The durable job queue: procrastinate in a schema of its own.

A job carries the identifier of a row, its subject, and may be run more than once.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from procrastinate import App, PsycopgConnector, jobs
from procrastinate.exceptions import AlreadyEnqueued
from sqlalchemy import (
    ColumnExpressionArgument,
    Exists,
    Select,
    String,
    and_,
    cast,
    column,
    delete,
    exists,
    func,
    select,
    table,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncSession

from answering.tracing import carrier
from registry.platform.database.engine import driver_connection, libpq_url

Subjects: TypeAlias = Select[UUID]
"""Identifiers of the subjects of a kind of job."""
FailedSubjects: TypeAlias = Select[UUID, UUID, str, Any, datetime | None]
"""Selects the subjects that ended with a problem: identifier, corpus, title, problem as JSON, and time."""

SCHEMA = "procrastinate"
JOBS = table(
    "procrastinate_jobs",
    column("id"),
    column("task_name"),
    column("args", JSONB),
    column("status"),
    schema=SCHEMA,
)

JOB_EVENTS = table("procrastinate_events", column("job_id"), column("type"), column("at"), schema=SCHEMA)
ENTER_SCHEMA = text(f"SELECT set_config('search_path', '{SCHEMA}, ' || current_setting('search_path'), true)")
STATES = {"todo": "waiting", "doing": "running", "failed": "failed"}


# The queue of most jobs, that of pieces of estimations, of which many wait at once, and that of events for webhooks,
# whose receivers may be slow: nothing else waits behind them.
WORK = "default"
READING = "reading"
SENDING = "sending"
# Connections of a process, beside those on which its workers listen.
POOL_SIZE = 4


@dataclass(frozen=True, slots=True)
class Job:
    """A request to a worker. Of one queue, jobs of a higher priority are taken first."""

    name: str
    priority: int = 0
    queue: str = WORK


@dataclass(frozen=True, slots=True)
class JobCount:
    """The number of jobs of a name that are `waiting`, `running` or `failed`, and the age of the oldest."""

    name: str
    state: str
    jobs: int
    oldest_seconds: float


async def job_counts(session: AsyncSession) -> list[JobCount]:
    """The jobs of the queue that are not done, by name and state."""
    await enter_schema(session)
    status = cast(JOBS.c.status, String)
    queued = and_(JOB_EVENTS.c.job_id == JOBS.c.id, cast(JOB_EVENTS.c.type, String) == "deferred")
    age = func.extract("epoch", func.now() - func.min(JOB_EVENTS.c.at))
    counts = (
        select(JOBS.c.task_name, status, func.count(JOBS.c.id.distinct()), func.coalesce(age, 0))
        .select_from(JOBS.outerjoin(JOB_EVENTS, queued))
        .where(status.in_(STATES))
        .group_by(JOBS.c.task_name, status)
    )
    rows = await session.execute(counts)
    return [JobCount(name, STATES[state], jobs, float(seconds)) for name, state, jobs, seconds in rows]


@asynccontextmanager
async def open_queue(url: URL) -> AsyncIterator[App]:
    """The job queue in the database at `url`, for the duration of the block."""
    connector = PsycopgConnector(
        conninfo=libpq_url(url),
        kwargs={"options": f"-c search_path={SCHEMA}", "connect_timeout": 5},
        min_size=0,
        max_size=POOL_SIZE,
        timeout=10,
    )
    app = App(connector=connector)
    async with app.open_async():
        yield app


async def enter_schema(session: AsyncSession) -> None:
    """Let the rest of the transaction find the queue's tables without their schema, as its triggers do."""
    await session.execute(ENTER_SCHEMA)


async def defer(session: AsyncSession, queue: App, job: Job, *subject_ids: UUID) -> None:
    """Queue a job for each subject when the transaction of the session is committed.

    Raises `AlreadyEnqueued` if one of them is waiting.
    """
    await enter_schema(session)
    queued = [_queued(job, subject_id) for subject_id in subject_ids]
    await queue.job_manager.batch_defer_jobs_async(queued, connection=await driver_connection(session))


def _queued(job: Job, subject_id: UUID) -> jobs.Job:
    lock = f"{job.name}:{subject_id}"
    arguments: dict[str, Any] = {"subject_id": str(subject_id)}
    if trace := carrier():
        arguments["trace"] = trace
    return jobs.Job(
        queue=job.queue,
        priority=job.priority,
        lock=lock,
        queueing_lock=lock,
        task_name=job.name,
        task_kwargs=arguments,
    )


async def defer_unless_waiting(session: AsyncSession, queue: App, job: Job, subject_id: UUID) -> None:
    """Queue a job as `defer` does; one that still waits, as after its subject was run by hand, does the same work."""
    with suppress(AlreadyEnqueued):
        async with session.begin_nested():
            await defer(session, queue, job, subject_id)


async def without_job(session: AsyncSession, job: Job, subjects: Subjects) -> Sequence[UUID]:
    """The subjects that have no such job waiting or running."""
    (subject_id,) = subjects.selected_columns
    return (await session.scalars(subjects.where(~has_job(job, subject_id)))).all()


def has_job(job: Job, subject_id: ColumnExpressionArgument[UUID]) -> Exists:
    """Whether such a job waits or runs for a subject."""
    return exists().where(
        JOBS.c.task_name == job.name,
        JOBS.c.args["subject_id"].astext == cast(subject_id, String),
        cast(JOBS.c.status, String).in_(["todo", "doing"]),
    )


async def take(session: AsyncSession, job: Job, subjects: Subjects, limit: int | None = None) -> Collection[UUID]:
    """Take the jobs off the queue that wait for these subjects, at most `limit`, the oldest first.

    Their work is that of the caller now. Returns the subjects.
    """
    await enter_schema(session)
    (subject_id,) = subjects.selected_columns
    waiting = (
        select(JOBS.c.id)
        .where(
            JOBS.c.task_name == job.name,
            cast(JOBS.c.status, String) == "todo",
            JOBS.c.args["subject_id"].astext.in_(subjects.with_only_columns(cast(subject_id, String))),
        )
        .order_by(JOBS.c.id)
        .limit(limit)
        .with_for_update(of=JOBS, skip_locked=True)
        .cte()
    )
    taken = delete(JOBS).where(JOBS.c.id.in_(select(waiting.c.id))).returning(JOBS.c.args["subject_id"].astext)
    return [UUID(subject) for subject in await session.scalars(taken)]
