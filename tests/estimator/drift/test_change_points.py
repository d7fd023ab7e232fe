"""The Bayes factor of a change, against sums over all splits, and what it must not depend on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, logit, logsumexp

from estimator.arrays.types import Floats
from estimator.drift.change_points import TimedVotes, change_points
from tests.tables import for_each

CERTAIN = 20.0


def segments(*rights: str) -> TimedVotes:
    """Segments of votes that are surely right (1) or wrong (0), one time after the other."""
    size = np.array([len(right) for right in rights])
    right = np.array([digit == "1" for segment in rights for digit in segment])
    time = np.concatenate([np.arange(count) for count in size]).astype(np.float64)
    log_ratio = np.where(right, CERTAIN, -CERTAIN)
    return TimedVotes(np.cumsum(size) - size, time, log_ratio, np.zeros(time.size), np.zeros(time.size))


def beta_binomial_factor(right: str) -> float:
    """The log Bayes factor by the Beta-binomial distribution, under the Jeffreys prior."""

    def log_marginal(part: str) -> float:
        return float(betaln(0.5 + part.count("1"), 0.5 + part.count("0")) - betaln(0.5, 0.5))

    splits = [log_marginal(right[:index]) + log_marginal(right[index:]) for index in range(1, len(right))]
    return float(logsumexp(splits) - np.log(len(splits)) - log_marginal(right))


@for_each("right", ["1111111111000000", "1111111011110001000000", "00000000000111111101111"])
def test_certain_votes_give_the_beta_binomial_factor(right: str) -> None:
    assert change_points(segments(right)).log_factor[0] == pytest.approx(beta_binomial_factor(right), abs=0.15)


def test_the_split_is_where_the_votes_change() -> None:
    change = change_points(segments("1" * 20 + "0" * 12, "10" * 8, "0" * 9 + "1" * 30))
    assert change.begins[[0, 2]].tolist() == [20, 9]
    assert (change.log_factor[[0, 2]] > 8).all()
    assert change.log_factor[1] < 0


def test_a_segment_does_not_depend_on_its_neighbours() -> None:
    alone = change_points(segments("1" * 20 + "0" * 12))
    among = change_points(segments("01" * 5, "1" * 20 + "0" * 12, "1"))
    assert among.log_factor[1] == pytest.approx(alone.log_factor[0])
    assert among.begins[1] == alone.begins[0]


def test_votes_of_equal_time_are_not_split() -> None:
    votes = segments("1" * 20 + "0" * 20)
    one_time = replace(votes, time=np.zeros(40))
    two_times = replace(votes, time=np.repeat([0.0, 1.0], [15, 25]))
    assert change_points(one_time).log_factor[0] == -np.inf
    assert change_points(two_times).begins[0] == 15


def test_without_votes_there_is_nothing() -> None:
    none = np.zeros(0)
    nothing = TimedVotes(np.zeros(0, dtype=np.int64), none, none, none, none)
    assert change_points(nothing).log_factor.size == 0


def test_a_fall_that_difficulty_explains_is_no_change() -> None:
    right = "1" * 18 + "10" + "1001" * 5
    plain = segments(right)
    harder = replace(plain, difficulty=np.where(plain.time < 20, 0.0, -3.0))
    assert change_points(harder).log_factor[0] < change_points(plain).log_factor[0] - 2


@given(
    st.lists(st.tuples(st.integers(0, 6), st.floats(0.01, 0.99)), min_size=1, max_size=30),
    st.sampled_from([1e-3, 1.0, 365.0]),
    st.sampled_from([-1e4, 0.0, 1e6]),
)
@settings(max_examples=40, deadline=None)
def test_shift_and_scale_of_time_change_nothing(votes: list[tuple[int, float]], scale: float, shift: float) -> None:
    votes.sort()
    time: Floats = np.array([time for time, _ in votes], dtype=np.float64)
    probability = np.array([probability for _, probability in votes])
    none = np.zeros(time.size)
    timed = TimedVotes(np.zeros(1, dtype=np.int64), time, logit(probability), none, none)
    moved = replace(timed, time=time * scale + shift)
    plain, other = change_points(timed), change_points(moved)
    assert np.array_equal(plain.log_factor, other.log_factor)
    assert np.array_equal(plain.begins, other.begins)
