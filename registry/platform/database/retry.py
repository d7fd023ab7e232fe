"""Retries for the time in which Postgres restarts."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from registry.platform.errors import DatabaseUnavailable

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
