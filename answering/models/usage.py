"""The usage of models, and budgets that limit it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from answering.errors import BadParameter


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls of models cost; adds up."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.model_calls + other.model_calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.milliseconds + other.milliseconds,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """Model calls, tokens (read and written together) and seconds at most; None is without limit.

    No call begins once one of them is spent. Calls are never exceeded; tokens are exceeded at most by the calls under
    way, whose tokens are known when they end; a call under way is cut off when the seconds are over.
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("calls", self.calls), ("tokens", self.tokens), ("seconds", self.seconds)):
            if value is not None and not value >= 0:
                raise BadParameter(f"a budget of {name} is 0 or more, or None for no limit, not {value}")


class Meter:
    """Watches one budget from the moment it is made."""

    def __init__(self, budget: Budget, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget = budget
        self._clock = clock
        self._began = clock()
        self._calls = 0
        self._tokens = 0

    @property
    def seconds(self) -> float:
        """Since the meter was made."""
        return self._clock() - self._began

    @property
    def seconds_left(self) -> float | None:
        """At least 0, None without limit."""
        return None if self._budget.seconds is None else max(0.0, self._budget.seconds - self.seconds)

    @property
    def left(self) -> Budget:
        """What may still be spent of each, at least 0."""
        calls, tokens = self._budget.calls, self._budget.tokens
        return Budget(
            None if calls is None else max(0, calls - self._calls),
            None if tokens is None else max(0, tokens - self._tokens),
            self.seconds_left,
        )

    @property
    def spent(self) -> bool:
        """Whether nothing more may begin."""
        calls, tokens = self._budget.calls, self._budget.tokens
        return (
            (calls is not None and self._calls >= calls)
            or (tokens is not None and self._tokens >= tokens)
            or self.seconds_left == 0.0
        )

    def begin_call(self) -> bool:
        """Takes one call out of the budget; False where there is none left."""
        if self.spent:
            return False
        self._calls += 1
        return True

    def settle(self, usage: Usage) -> None:
        """Counts what a call that was begun has cost, which may be no call of a model, or several."""
        self._calls -= 1
        self.charge(usage)

    def charge(self, usage: Usage) -> None:
        """Counts what was spent elsewhere."""
        self._calls += usage.model_calls
        self._tokens += usage.input_tokens + usage.output_tokens
