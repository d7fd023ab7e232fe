"""The time by which keys, secrets and sessions end: it does not go back when the clock does.

The latest time that a process saw is kept in the database, and written every minute. It is the clock of PostgreSQL that
counts, of which all processes have one.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog

from estimator.errors import CredenceError
from registry.keys.store import note_time
from registry.platform.concurrency import in_background
from registry.platform.database.engine import Database

log = structlog.get_logger(__name__)

NOTED_EVERY_SECONDS = 60.0


@asynccontextmanager
async def noting(database: Callable[[], Database]) -> AsyncIterator[None]:
    """Note the time every minute for the duration of the block; `database` may raise while it is away."""
    async with in_background(_repeat(database)):
        yield


async def _repeat(database: Callable[[], Database]) -> None:
    while True:
        try:
            async with database().begin() as session:
                await note_time(session)
        except CredenceError as error:
            log.debug("time_not_noted", why=error)
        await asyncio.sleep(NOTED_EVERY_SECONDS)
