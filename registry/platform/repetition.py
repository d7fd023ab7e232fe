"""Work that a process repeats for as long as it lives."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import structlog

from estimator.errors import CredenceError
from registry.platform.concurrency import in_background
from registry.platform.database.base import DatabaseError

log = structlog.get_logger(__name__)


@asynccontextmanager
async def every(
    seconds: float, work: Callable[[], Awaitable[object]], name: str, *, at_once: bool = False
) -> AsyncIterator[None]:
    """Do some work every so many seconds beside the block; what the database being away prevents is done the next time.

    The first time is now with `at_once`.
    """

    async def repeat() -> None:
        await asyncio.sleep(0 if at_once else seconds)
        while True:
            try:
                await work()
            except (CredenceError, DatabaseError) as error:
                log.warning("not_done", work=name, why=error)
            await asyncio.sleep(seconds)

    async with in_background(repeat()):
        yield
