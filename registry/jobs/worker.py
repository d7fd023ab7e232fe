"""The worker: runs the jobs of the queue, queues those that dead workers left, and sets aside what ends processes."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import nullcontext, suppress
from typing import Any
from uuid import UUID

import structlog
from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision, RetryStrategy
from procrastinate.exceptions import ConnectorException
from procrastinate.job_context import JobResult
from procrastinate.jobs import Job, Status
from procrastinate.worker import Worker

from answering.tracing import span
from estimator.errors import CredenceError
from registry.job_kind import JobKind
from registry.jobs import kinds, store
from registry.jobs.store import JobKey
from registry.platform.concurrency import run_concurrently
from registry.platform.database.job_queue import READING, SENDING, WORK, defer_unless_waiting, without_job
from registry.platform.errors import DatabaseUnavailable, DueLater, Unavailable
from registry.runtime import Runtime

MOST_INTERRUPTIONS = 2
REASON = "The process that ran it ended twice, so it is not tried again by itself; the worker's log may tell why."
NOTE_SECONDS = 2.0


class Interruptions:
    """Notes what a process runs for as long as it runs, so that the next one knows what this one was at."""

    def __init__(self) -> None:
        self._alone = asyncio.Lock()
        # What came to an end here, until the database was told so.
        self._ended: set[JobKey] = set()

    async def run(self, runtime: Runtime, kind: JobKind, subject_id: UUID) -> None:
        """Run a job, or give its subject up where the process that ran it ended twice."""
        key = (kind.job.name, subject_id)
        await self._forget_ended(runtime)
        async with runtime.database.begin() as session:
            interrupted = await store.was_begun(session, key)
        # One at a time, as each counts the ends of the process while it ran, whichever job caused them.
        alone = interrupted and kind.give_up and not kind.waits_for_others
        async with self._alone if alone else nullcontext():
            await self._run(runtime, kind, key)

    async def _run(self, runtime: Runtime, kind: JobKind, key: JobKey) -> None:
        async with runtime.database.begin() as session:
            times = await store.note_begun(session, key)
        _, subject_id = key
        try:
            if times > MOST_INTERRUPTIONS and kind.give_up:
                log.warning("job_set_aside", job=kind.job.name, subject_id=str(subject_id))
                await kind.give_up(runtime, subject_id, REASON)
            else:
                await kind.run(runtime, subject_id)
        finally:
            self._ended.add(key)
            with suppress(CredenceError, TimeoutError):
                async with asyncio.timeout(NOTE_SECONDS):
                    await self._forget_ended(runtime)

    async def _forget_ended(self, runtime: Runtime) -> None:
        """A job that begins anew meanwhile may be forgotten too, and then counts one end less."""
        if ended := set(self._ended):
            async with runtime.database.begin() as session:
                await store.forget_begun(session, ended)
            self._ended -= ended


log = structlog.get_logger(__name__)

# Jobs at once, by queue. Two pieces of estimations have more readings than a process makes at once; more of them would
# lie here while other workers have nothing to do.
CONCURRENCY = {WORK: 4, READING: 2, SENDING: 4}
# Running jobs get this long at shutdown; what is not done by then is done again elsewhere.
SHUTDOWN_SECONDS = 5.0
RECONNECT_SECONDS = 2.0
# Jobs are taken when Postgres tells of them; this is for those that were queued while nobody listened.
POLLING_SECONDS = 5.0
RETRY = RetryStrategy(max_attempts=50, wait=2, linear_wait=2, retry_exceptions={Unavailable})


class _Retry(BaseRetryStrategy):
    """Jobs broken off by a stop go back to the queue at once, those that cannot be done at present after a while, and
    those that are due later until then.
    """

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision()
        if isinstance(exception, DueLater):
            return RetryDecision(retry_at=exception.due_at)
        decision = RETRY.get_retry_decision(exception=exception, job=job)
        if decision is not None:
            log.warning("job_to_retry", job=job.task_name, job_id=job.id, attempts=job.attempts + 1, error=exception)
        return decision


class _WatchedWorker(Worker):
    """A worker that ends when its listener or its heartbeat does.

    Procrastinate's own stops to watch them when the first of its tasks ends, as that for periodic tasks does at once
    where there are none: https://github.com/procrastinate-org/procrastinate/issues/1597.

    It ends as well when it could not store how a job ended: that job would stay with a worker that lives, and nobody
    would take it again.
    """

    async def _periodic_deferrer(self) -> None:
        await asyncio.Event().wait()

    async def _persist_job_status(
        self,
        job: Job,
        status: Status,
        retry_decision: RetryDecision | None,
        context: JobContext,
        job_result: JobResult | None,
    ) -> None:
        try:
            await super()._persist_job_status(job, status, retry_decision, context, job_result)
        except ConnectorException as error:
            log.warning("job_status_not_stored", job=job.task_name, job_id=job.id, error=error)
            self.stop()  # type: ignore[no-untyped-call]


async def run_worker(runtime: Runtime, *, stop: asyncio.Event) -> None:
    """Run jobs until `stop` is set; reconnects when the database was away."""
    register(runtime.jobs)
    while not stop.is_set():
        try:
            await _run_until(stop, _work(runtime))
        except (ConnectorException, DatabaseUnavailable) as error:
            log.warning("worker_lost_database", error=error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), RECONNECT_SECONDS)


def register(queue: App) -> None:
    """Register a task of every kind with the queue, unless it is registered."""
    interruptions = Interruptions()
    for kind in kinds.KINDS:
        if kind.job.name not in queue.tasks:
            queue.task(name=kind.job.name, retry=_Retry(), pass_context=True)(_task(kind, interruptions))


async def recover(runtime: Runtime) -> int:
    """Queue jobs of dead workers again, and a job for each unfinished subject without one; returns how many."""
    dead_after = 3 * runtime.settings.job_heartbeat_seconds
    stalled = list(await runtime.jobs.job_manager.get_stalled_jobs(seconds_since_heartbeat=dead_after))
    for job in stalled:
        # One that no longer runs was queued by another worker, which was faster.
        with contextlib.suppress(ConnectorException):
            await runtime.jobs.job_manager.retry_job(job)
    orphaned = 0
    for kind in kinds.KINDS:
        if kind.unfinished is None:
            continue
        async with runtime.database.begin() as session:
            subject_ids = await without_job(session, kind.job, kind.unfinished)
        orphaned += len(subject_ids)
        for subject_id in subject_ids:
            # One that waits by now was queued by another worker, which was faster.
            async with runtime.database.begin() as session:
                await defer_unless_waiting(session, runtime.jobs, kind.job, subject_id)
    if stalled or orphaned:
        log.info("work_recovered", stalled=len(stalled), orphaned=orphaned)
    return len(stalled) + orphaned


def _task(kind: JobKind, interruptions: Interruptions) -> Callable[..., Awaitable[None]]:
    async def run(context: JobContext, subject_id: str, trace: Mapping[str, str] | None = None) -> None:
        with span(f"job {kind.job.name}", trace, subject_id=subject_id):
            await interruptions.run(context.additional_context["runtime"], kind, UUID(subject_id))

    return run


async def _work(runtime: Runtime) -> None:
    heartbeat = runtime.settings.job_heartbeat_seconds
    queues = [queue for queue in CONCURRENCY if queue != READING or runtime.reader is not None]
    taking = [_take_jobs(runtime, queue, heartbeat) for queue in queues]
    await run_concurrently(_recover_repeatedly(runtime, heartbeat), *taking)


async def _take_jobs(runtime: Runtime, queue: str, heartbeat: float) -> None:
    worker = _WatchedWorker(
        runtime.jobs,
        queues=[queue],
        concurrency=CONCURRENCY[queue],
        install_signal_handlers=False,
        shutdown_graceful_timeout=SHUTDOWN_SECONDS,
        update_heartbeat_interval=heartbeat,
        stalled_worker_timeout=3 * heartbeat,
        fetch_job_polling_interval=min(heartbeat, POLLING_SECONDS),
        delete_jobs="successful",
        additional_context={"runtime": runtime},
    )
    await worker.run()  # type: ignore[no-untyped-call]
    # It ends when it could not listen again or show its heartbeat; Postgres may be back by then.
    raise DatabaseUnavailable("The worker lost its connection to the database.")


async def _recover_repeatedly(runtime: Runtime, seconds: float) -> None:
    while True:
        await recover(runtime)
        await asyncio.sleep(seconds)


async def _run_until(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Run `work` until it ends or `stop` is set; raises its error."""
    task = asyncio.ensure_future(work)
    stopped = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        if not stop.is_set():
            raise
