"""The usage of model calls, and budgets that limit it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from answering.errors import BadParameter


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of model calls.

    >>> Usage(1, input_tokens=90, output_tokens=5) + Usage(1, input_tokens=110, output_tokens=15)
    Usage(model_calls=2, input_tokens=200, output_tokens=20, milliseconds=0.0)
    """

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.model_calls + other.model_calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.milliseconds + other.milliseconds,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on model calls, tokens (input and output together) and seconds; None is no limit.

    No call begins once a limit is reached. Calls never exceed theirs; tokens do by at most the tokens of the calls in
    progress, which are known when these end; a call in progress is cancelled when the seconds are over. Raises
    `BadParameter` for a negative limit.

    >>> Budget(calls=10, seconds=60.0)
    Budget(calls=10, tokens=None, seconds=60.0)
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("calls", self.calls), ("tokens", self.tokens), ("seconds", self.seconds)):
            if limit is not None and not limit >= 0:
                raise BadParameter(f"a budget of {name} is 0 or more, or None for no limit, not {limit}")


class Meter:
    """Counts usage against a budget; its seconds begin when it is made.

    >>> meter = Meter(Budget(calls=2))
    >>> meter.begin_call()
    True
    >>> meter.end_call(Usage(model_calls=1, input_tokens=90, output_tokens=5))
    >>> meter.remaining
    Budget(calls=1, tokens=None, seconds=None)
    """

    def __init__(self, budget: Budget, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget = budget
        self._clock = clock
        self._started = clock()
        self._calls = 0
        self._tokens = 0

    @property
    def seconds(self) -> float:
        """Seconds since the meter was made."""
        return self._clock() - self._started

    @property
    def remaining(self) -> Budget:
        """The rest of each limit, at least 0."""
        calls, tokens, seconds = self._budget.calls, self._budget.tokens, self._budget.seconds
        return Budget(
            None if calls is None else max(0, calls - self._calls),
            None if tokens is None else max(0, tokens - self._tokens),
            None if seconds is None else max(0.0, seconds - self.seconds),
        )

    @property
    def exhausted(self) -> bool:
        """Whether a limit is reached, so that no call may begin."""
        remaining = self.remaining
        return 0 in {remaining.calls, remaining.tokens, remaining.seconds}

    def begin_call(self) -> bool:
        """Reserves a call; False if the budget is exhausted."""
        if self.exhausted:
            return False
        self._calls += 1
        return True

    def end_call(self, usage: Usage) -> None:
        """Counts the usage of a call in place of its reservation."""
        self._calls -= 1
        self.add(usage)

    def add(self, usage: Usage) -> None:
        """Counts usage that was not reserved."""
        self._calls += usage.model_calls
        self._tokens += usage.tokens
