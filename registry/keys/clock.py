"""The time by which keys, secrets and sessions end: it does not go back when the clock does.

The latest time that a process saw is kept in the database, and written every minute. It is the clock of PostgreSQL that
counts, of which all processes have one.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from estimator.errors import CredenceError
from registry.keys.model import LatestTime
from registry.platform.concurrency import in_background
from registry.platform.database.engine import Database

log = structlog.get_logger(__name__)

NOTED_EVERY_SECONDS = 60.0


def latest() -> ColumnElement[Any]:
    """Now, or the latest time that was seen if that is later."""
    return func.greatest(func.now(), select(LatestTime.time).scalar_subquery())


async def has_passed(session: AsyncSession, moment: datetime | None) -> bool:
    """Whether it is that time, or was once; None never comes."""
    return moment is not None and bool(await session.scalar(select(latest() >= moment)))


async def note(session: AsyncSession) -> None:
    """Keep the time, if it is later than the latest."""
    statement = insert(LatestTime).values(id=1, time=func.now())
    time = statement.excluded.time
    await session.execute(
        statement.on_conflict_do_update(index_elements=["id"], set_={"time": time}, where=LatestTime.time < time)
    )


@asynccontextmanager
async def noting(database: Callable[[], Database]) -> AsyncIterator[None]:
    """Note the time every minute for the duration of the block; `database` may raise while it is away."""
    async with in_background(_repeat(database)):
        yield


async def _repeat(database: Callable[[], Database]) -> None:
    while True:
        try:
            async with database().begin() as session:
                await note(session)
        except CredenceError as error:
            log.debug("time_not_noted", why=error)
        await asyncio.sleep(NOTED_EVERY_SECONDS)
