"""Periodic tasks of a running service."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from estimator.errors import CredenceError
from registry.access import sessions
from registry.runtime import Runtime
from registry.store import idempotency

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PeriodicTask:
    """A task that runs in a transaction of its own and returns how many rows it deleted."""

    name: str
    seconds: float
    run: Callable[[AsyncSession], Awaitable[int]]


TASKS: list[PeriodicTask] = [
    PeriodicTask("purge_idempotency_keys", 3600.0, idempotency.purge),
    PeriodicTask("purge_browser_sessions", 3600.0, sessions.purge),
]


@asynccontextmanager
async def housekeeping(runtime: Callable[[], Runtime]) -> AsyncIterator[None]:
    """Run the tasks periodically for the duration of the block; `runtime` may raise while the database is away."""
    tasks = [asyncio.create_task(_repeat(task, runtime)) for task in TASKS]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _repeat(task: PeriodicTask, runtime: Callable[[], Runtime]) -> None:
    while True:
        await asyncio.sleep(task.seconds)
        try:
            async with runtime().database.begin() as session:
                deleted = await task.run(session)
        except CredenceError as error:
            log.warning("housekeeping_skipped", task=task.name, why=str(error))
        else:
            log.debug("housekeeping_done", task=task.name, deleted=deleted)
