"""A circuit breaker: after repeated failures of a server, calls fail at once instead of waiting for it."""

import time
from collections.abc import Callable

from answering.errors import ModelUnavailable


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
