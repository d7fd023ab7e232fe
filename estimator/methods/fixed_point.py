"""Iterating a map until its vector stands still, returns to an earlier one, or the rounds are used up."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from estimator.arrays.types import Floats
from estimator.policies import StopReason


@dataclass(frozen=True, slots=True, eq=False)
class FixedPoint:
    """The last vector, how often the map was applied, and why the iteration stopped."""

    value: Floats
    rounds: int
    stop_reason: StopReason


def iterate(step: Callable[[Floats], Floats], start: Floats, *, max_rounds: int, tolerance: float) -> FixedPoint:
    """Apply `step` until no element moves by more than `tolerance`; an element that stays NaN stands still.

    A vector equal to an earlier one, bit for bit, means a cycle, because the map depends on the vector alone.
    """
    value, seen = start, {start.tobytes()}
    for rounds in range(1, max_rounds + 1):
        previous, value = value, step(value)
        unknown = np.isnan(value) & np.isnan(previous)
        if (unknown | (np.abs(value - previous) <= tolerance)).all():
            return FixedPoint(value, rounds, StopReason.CONVERGED)
        if value.tobytes() in seen:
            return FixedPoint(value, rounds, StopReason.OSCILLATING)
        seen.add(value.tobytes())
    return FixedPoint(value, max_rounds, StopReason.ROUND_LIMIT)
