"""Model calls within bounds: so many at once, so long an attempt, so many attempts, and none into a dead server."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_random_exponential

from answering.errors import ModelError, ModelRateLimited, ModelTimeout, ModelUnavailable, UnreadableReply
from answering.models.circuit_breaker import READER_URL, CircuitBreaker

T = TypeVar("T")
Work: TypeAlias = Callable[[], Awaitable[T]]

DEAD_AFTER = 4
REST_SECONDS = 5.0
# Seconds; a server that asks for more patience than this is not waited for.
LONGEST_WAIT = 30.0
_BACKOFF = wait_random_exponential(multiplier=0.25, max=8)


class Limits:
    """Calls within bounds, and the memory of a server that failed.

    Retries connections refused or broken, timeouts, 408, 429 and 5xx (honouring Retry-After), and an unreadable reply
    once; never what cannot succeed. While the server is taken for dead every call fails at once.
    """

    def __init__(self, *, concurrency: int, timeout: float, attempts: int, setting: str = READER_URL) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._timeout = timeout
        self._attempts = attempts
        self._circuit = CircuitBreaker(failures=DEAD_AFTER, rest=REST_SECONDS, setting=setting)

    async def call(self, work: Work[T]) -> T:
        """What the work comes to. Raises ModelError."""
        async with self._slots:
            self._circuit.enter()
            try:
                result = await self._with_retries(work)
            except ModelError as error:
                self._judge(error)
                raise
            except BaseException:
                self._circuit.left()
                raise
            self._circuit.succeeded()
            return result

    async def _with_retries(self, work: Work[T]) -> T:
        retrying = AsyncRetrying(
            retry=retry_if_exception(self._worth_another),
            stop=stop_after_attempt(self._attempts),
            wait=_wait,
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                return await self._readable(work)
        raise AssertionError("tenacity ends with a result or an error")

    async def _readable(self, work: Work[T]) -> T:
        try:
            return await self._timed(work)
        except UnreadableReply:
            return await self._timed(work)

    async def _timed(self, work: Work[T]) -> T:
        try:
            async with asyncio.timeout(self._timeout):
                return await work()
        except TimeoutError as error:
            raise ModelTimeout(
                f"No reply within {self._timeout:g} seconds; look at CREDENCE_READER_TIMEOUT_SECONDS."
            ) from error

    def _worth_another(self, error: BaseException) -> bool:
        """Whether another attempt may succeed, and somebody else has not just found the server dead."""
        if not isinstance(error, ModelUnavailable) or self._circuit.open:
            return False
        return (error.retry_after or 0.0) <= LONGEST_WAIT

    def _judge(self, error: ModelError) -> None:
        """A server that limits, refuses or talks nonsense is alive."""
        if isinstance(error, ModelUnavailable) and not isinstance(error, ModelRateLimited):
            self._circuit.failed()
        else:
            self._circuit.succeeded()


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, ModelUnavailable) else None
    return max(_BACKOFF(state), asked or 0.0)
