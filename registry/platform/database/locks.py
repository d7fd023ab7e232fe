"""Advisory locks of Postgres, which end with the connection of their holder, and retries while it restarts."""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from registry.platform.database.engine import Database, translate_errors
from registry.platform.errors import DatabaseUnavailable


@asynccontextmanager
async def try_lock(database: Database, name: str) -> AsyncIterator[AsyncConnection | None]:
    """The connection that holds the lock `name` for the duration of the block, or None if another process holds it.

    It is none of those that transactions use. The lock is lost when it breaks; long work checks it with `still_held`.
    Raises `DatabaseUnavailable` while this process has `MOST_LOCKS` of them.
    """
    async with translate_errors(), database.lock_engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        acquired = await connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _key(name)})
        try:
            yield connection if acquired else None
        finally:
            if acquired and not connection.invalidated:
                # Whoever tries next gets the lock at once, where Postgres notices a closed connection a moment later.
                with suppress(SQLAlchemyError):
                    await connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _key(name)})
                # Closing the connection frees the lock whatever state it is in; a pooled one would keep it.
                await connection.invalidate()


async def still_held(connection: AsyncConnection) -> bool:
    """Whether the connection lives, and with it its lock; raises the driver's error if it does not."""
    return bool(await connection.scalar(text("SELECT 1")))


async def lock_in_transaction(session: AsyncSession, name: str) -> None:
    """Wait for the lock `name` and hold it until the transaction ends."""
    await session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _key(name)})


def _key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


# A restart of Postgres takes a few seconds.
RETRY_SECONDS = 30.0
Result = TypeVar("Result")


async def retry_on_disconnect(operation: Callable[[], Awaitable[Result]]) -> Result:
    """Call the idempotent `operation` until it returns.

    Retries on `DatabaseUnavailable` with random exponential backoff; after `RETRY_SECONDS` the last error is raised.
    """
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(DatabaseUnavailable),
        wait=wait_random_exponential(multiplier=0.2, max=3),
        stop=stop_after_delay(RETRY_SECONDS),
        reraise=True,
    )

    async def attempt() -> Result:  # tenacity awaits only what it recognises as a coroutine function
        return await operation()

    return await retrying(attempt)
