"""Waiting for a database that went away for a moment."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from registry.errors import DatabaseUnavailable

# A restart of Postgres takes a few seconds.
PATIENCE_SECONDS = 30.0
Result = TypeVar("Result")


async def patiently(work: Callable[[], Awaitable[Result]]) -> Result:
    """Do work that may be repeated, again and again while the database is away; in the end its error is raised."""
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(DatabaseUnavailable),
        wait=wait_random_exponential(multiplier=0.2, max=3),
        stop=stop_after_delay(PATIENCE_SECONDS),
        reraise=True,
    )

    async def attempt() -> Result:  # tenacity awaits only what it sees to be a coroutine function
        return await work()

    return await retrying(attempt)
