"""Repeating a map until its vector stands still, goes in circles, or has had enough rounds."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimator.policies import StopReason

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop: after so many rounds, or when nothing moves by more than the tolerance."""

    max_rounds: int
    tolerance: float


@dataclass(frozen=True, slots=True, eq=False)
class FixedPoint:
    """The last vector, the number of times the map was applied, and why it was not applied again."""

    value: Floats
    rounds: int
    stop_reason: StopReason


def iterate(step: Callable[[Floats], Floats], start: Floats, *, max_rounds: int, tolerance: float) -> FixedPoint:
    """Apply `step` until no element moves by more than `tolerance`; an element that stays NaN stands still.

    A vector seen before, bit for bit, means a cycle of any length, as the map knows nothing but the vector.
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
