"""Limits on model calls: concurrency, time of an attempt, retries, and a circuit breaker."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_random_exponential

from answering.errors import ModelError, ModelRateLimited, ModelTimeout, ModelUnavailable, UnreadableReply


class CircuitBreaker:
    """Opens after `failures` failed calls in a row, for `rest` seconds; then lets one call through.

    The success of that call closes the circuit, its failure opens it again. `setting` names the setting with the
    address of the server, for the error message.
    """

    def __init__(
        self, *, failures: int, rest: float, setting: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = failures
        self._setting = setting
        self._rest = rest
        self._clock = clock
        self._failures = 0
        self._open_until = 0.0
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether the server is taken for dead."""
        return self._failures >= self._limit

    def before_call(self) -> None:
        """Raises `ModelUnavailable` while the circuit is open, except for the one call that probes the server."""
        if not self.is_open:
            return
        wait = self._open_until - self._clock()
        if wait > 0 or self._probing:
            raise ModelUnavailable(
                f"The model server has not answered for a while; look at {self._setting}. It is asked again soon.",
                retry_after=max(wait, 0.0),
            )
        self._probing = True

    def record_success(self) -> None:
        self._failures = 0
        self._probing = False

    def record_failure(self) -> None:
        self._failures += 1
        self._open_until = self._clock() + self._rest
        self._probing = False

    def record_cancellation(self) -> None:
        """A call ended without a result that says anything about the server."""
        self._probing = False


T = TypeVar("T")
Call: TypeAlias = Callable[[], Awaitable[T]]

FAILURES_TO_OPEN = 4
REST_SECONDS = 5.0
# Seconds; a server that asks for a longer wait is not waited for.
LONGEST_WAIT = 30.0
_BACKOFF = wait_random_exponential(multiplier=0.25, max=8)


class CallLimits:
    """Makes calls within limits and remembers whether the server answers.

    Retries connections refused or broken, timeouts, 408, 429 and 5xx (honouring Retry-After), and an unreadable reply
    once; never what cannot succeed. While the circuit breaker is open every call fails at once.
    """

    def __init__(self, *, concurrency: int, timeout: float, attempts: int, setting: str) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._timeout = timeout
        self._attempts = attempts
        self._circuit = CircuitBreaker(failures=FAILURES_TO_OPEN, rest=REST_SECONDS, setting=setting)

    async def call(self, call: Call[T]) -> T:
        """The result of the call. Raises `ModelError`."""
        async with self._slots:
            self._circuit.before_call()
            try:
                result = await self._with_retries(call)
            except ModelError as error:
                self._record(error)
                raise
            except BaseException:
                self._circuit.record_cancellation()
                raise
            self._circuit.record_success()
            return result

    async def _with_retries(self, call: Call[T]) -> T:
        retrying = AsyncRetrying(
            retry=retry_if_exception(self._is_retryable),
            stop=stop_after_attempt(self._attempts),
            wait=_wait,
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                return await self._attempt(call)
        raise AssertionError("tenacity ends with a result or an error")

    async def _attempt(self, call: Call[T]) -> T:
        try:
            return await self._timed(call)
        except UnreadableReply:
            return await self._timed(call)

    async def _timed(self, call: Call[T]) -> T:
        try:
            async with asyncio.timeout(self._timeout):
                return await call()
        except TimeoutError as error:
            raise ModelTimeout(
                f"No reply within {self._timeout:g} seconds; look at CREDENCE_READER_TIMEOUT_SECONDS."
            ) from error

    def _is_retryable(self, error: BaseException) -> bool:
        """Whether another attempt may succeed; not if a concurrent call has just opened the circuit."""
        if not isinstance(error, ModelUnavailable) or self._circuit.is_open:
            return False
        return (error.retry_after or 0.0) <= LONGEST_WAIT

    def _record(self, error: ModelError) -> None:
        """A server that limits, refuses or sends an unreadable reply is alive."""
        if isinstance(error, ModelUnavailable) and not isinstance(error, ModelRateLimited):
            self._circuit.record_failure()
        else:
            self._circuit.record_success()


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    retry_after = error.retry_after if isinstance(error, ModelUnavailable) else None
    return max(_BACKOFF(state), retry_after or 0.0)
