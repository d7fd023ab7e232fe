"""Convergence, cycles and the limit of rounds."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from estimator import StopReason
from estimator.methods.voting_rounds import iterate

Floats = NDArray[np.float64]


def ends(step: Callable[[Floats], Floats], *start: float, max_rounds: int = 50) -> tuple[list[float], int, StopReason]:
    end = iterate(step, np.array(start), max_rounds=max_rounds, tolerance=1e-9)
    return end.value.tolist(), end.rounds, end.stop_reason


def test_a_map_that_contracts_converges() -> None:
    (value,), rounds, reason = ends(lambda x: x / 4 + 3, 0.0)
    assert reason is StopReason.CONVERGED
    assert value == pytest.approx(4)
    assert 4 / 4**rounds < 4e-9  # the move of the last round was below the tolerance


def test_a_fixed_start_takes_one_round() -> None:
    assert ends(lambda x: x.copy(), 2.0, 3.0) == ([2, 3], 1, StopReason.CONVERGED)


def test_a_cycle_of_two_is_noticed_when_it_closes() -> None:
    assert ends(lambda x: -x, 1.0) == ([1], 2, StopReason.OSCILLATING)


def test_longer_cycles_are_noticed() -> None:
    """5 -> 4 -> 3 -> 2 -> 1 -> 0 -> 3: three rounds to the cycle, which has four members."""
    assert ends(lambda x: np.where(x > 0, x - 1, 3), 5.0) == ([3], 6, StopReason.OSCILLATING)


def test_a_diverging_map_stops_at_the_limit() -> None:
    assert ends(lambda x: x + 1, 0.0, max_rounds=7) == ([7], 7, StopReason.ROUND_LIMIT)


def test_no_rounds_allowed_returns_the_start() -> None:
    assert ends(lambda x: x + 1, 5.0, max_rounds=0) == ([5], 0, StopReason.ROUND_LIMIT)


def test_nan_stands_still_but_becoming_nan_does_not() -> None:
    (first, second), rounds, reason = ends(lambda x: np.array([np.nan, x[1]]), 1.0, 2.0)
    assert (np.isnan(first), second, rounds, reason) == (True, 2, 2, StopReason.CONVERGED)


def test_an_empty_vector_has_converged() -> None:
    assert ends(lambda x: x) == ([], 1, StopReason.CONVERGED)
