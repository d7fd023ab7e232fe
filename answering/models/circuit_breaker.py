"""When a server is taken for dead, so that thousands of readings do not each wait for it."""

import time
from collections.abc import Callable

from answering.errors import ModelUnavailable

READER_URL = "CREDENCE_READER_URL"


class CircuitBreaker:
    """Opens after `failures` failed readings in a row and stays open for `rest` seconds.

    Then one reading is let through; its success closes the circuit, its failure opens it again. `setting` is
    where the address of the server stands.
    """

    def __init__(
        self, *, failures: int, rest: float, setting: str = READER_URL, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = failures
        self._setting = setting
        self._rest = rest
        self._clock = clock
        self._failed = 0
        self._resting_until = 0.0
        self._probing = False

    @property
    def open(self) -> bool:
        """Whether the server is taken for dead."""
        return self._failed >= self._limit

    def enter(self) -> None:
        """Raises `ModelUnavailable` while the circuit is open, except for the one reading that may try."""
        if not self.open:
            return
        wait = self._resting_until - self._clock()
        if wait > 0 or self._probing:
            raise ModelUnavailable(
                f"The model server has not answered for a while; look at {self._setting}. It is asked again soon.",
                retry_after=max(wait, 0.0),
            )
        self._probing = True

    def succeeded(self) -> None:
        self._failed = 0
        self._probing = False

    def failed(self) -> None:
        self._failed += 1
        self._resting_until = self._clock() + self._rest
        self._probing = False

    def left(self) -> None:
        """A reading ended that says nothing of the server: cancelled, say."""
        self._probing = False
