"""The worker: takes jobs off the queue, shows that it lives, takes up what dead workers left."""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any
from uuid import UUID

import structlog
from procrastinate import App, RetryStrategy
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from sqlalchemy import text

from registry import answers, estimation
from registry.concurrency import run_concurrently
from registry.database import job_queue
from registry.errors import DatabaseUnavailable, Unavailable
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

CONCURRENCY = 4
# Grace for jobs at shutdown; what is not done by then goes on elsewhere.
SHUTDOWN_SECONDS = 5.0
RECONNECT_SECONDS = 2.0
RETRY = RetryStrategy(max_attempts=50, wait=2, linear_wait=2, retry_exceptions={Unavailable})

# Runs and answers under way that no job stands for: their worker was stopped, or died between two statements.
ORPHANS = text(
    """
    SELECT task, id FROM (
        SELECT 'estimate' AS task, id FROM public.estimations WHERE status IN ('queued', 'running')
        UNION ALL
        SELECT 'answer', id FROM public.answers WHERE status IN ('queued', 'running')
    ) AS under_way
    WHERE NOT EXISTS (
        SELECT FROM procrastinate.procrastinate_jobs AS job
        WHERE job.task_name = under_way.task
        AND job.args ->> 'subject_id' = under_way.id::text
        AND job.status IN ('todo', 'doing')
    )
    """
)


async def run_worker(runtime: Runtime, *, stop: asyncio.Event) -> None:
    """Do jobs until `stop` is set; goes on after the database was away."""
    register(runtime.jobs, runtime)
    while not stop.is_set():
        try:
            await _until(stop, _serve(runtime))
        except (ConnectorException, DatabaseUnavailable) as error:
            log.warning("worker_lost_database", error=str(error))
            await _sleep(stop, RECONNECT_SECONDS)


def register(app: App, runtime: Runtime) -> None:
    """Tell the queue which function does which task."""
    if job_queue.ESTIMATE in app.tasks:
        return

    @app.task(name=job_queue.ESTIMATE, retry=RETRY)
    async def estimate_job(subject_id: str) -> None:
        await estimation.run(runtime, UUID(subject_id))

    @app.task(name=job_queue.ANSWER, retry=RETRY)
    async def answer_job(subject_id: str) -> None:
        await answers.run(runtime, UUID(subject_id))


async def recover(runtime: Runtime) -> int:
    """Have jobs of dead workers, and work without a job, done again; returns how many."""
    dead_after = 3 * runtime.settings.job_heartbeat_seconds
    stalled = list(await runtime.jobs.job_manager.get_stalled_jobs(seconds_since_heartbeat=dead_after))
    for job in stalled:
        await runtime.jobs.job_manager.retry_job(job)
    async with runtime.database.begin() as session:
        orphans = (await session.execute(ORPHANS)).all()
    for task, subject_id in orphans:
        with contextlib.suppress(AlreadyEnqueued):  # another worker was faster
            async with runtime.database.begin() as session:
                await job_queue.defer(session, runtime.jobs, task, subject_id)
    if stalled or orphans:
        log.info("work_recovered", stalled=len(stalled), orphaned=len(orphans))
    return len(stalled) + len(orphans)


async def _serve(runtime: Runtime) -> None:
    beat = runtime.settings.job_heartbeat_seconds
    await run_concurrently(
        _keep_recovering(runtime, beat),
        runtime.jobs.run_worker_async(
            concurrency=CONCURRENCY,
            install_signal_handlers=False,
            shutdown_graceful_timeout=SHUTDOWN_SECONDS,
            update_heartbeat_interval=beat,
            stalled_worker_timeout=3 * beat,
            fetch_job_polling_interval=min(beat, 5.0),
            delete_jobs="successful",
        ),
    )


async def _keep_recovering(runtime: Runtime, beat: float) -> None:
    while True:
        await recover(runtime)
        await asyncio.sleep(beat)


async def _until(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Run `work` until it ends or `stop` is set; its first error is raised as it is."""
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


async def _sleep(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return
