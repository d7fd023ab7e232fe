"""Votes that are numbers."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import EstimatorError, NumbersEstimate, estimate_numbers

Votes = tuple[list[int], list[int], list[float]]
QUERIES, SOURCES = 4, 5


@st.composite
def numbers(draw: st.DrawFn) -> Votes:
    """Votes of some of five sources on some of four queries; many values are equal."""
    pairs = [(query, source) for query in range(QUERIES) for source in range(SOURCES)]
    cast = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1))
    values = [float(draw(st.integers(-4, 4))) for _ in cast]
    return [query for query, _ in cast], [source for _, source in cast], values


def estimated(votes: Votes, rounds: int = 100) -> NumbersEstimate:
    return estimate_numbers(*votes, query_count=QUERIES, source_count=SOURCES, max_rounds=rounds)


@given(numbers(), st.randoms())
def test_the_order_of_votes_does_not_matter(votes: Votes, random: Random) -> None:
    order = list(range(len(votes[0])))
    random.shuffle(order)
    shuffled = estimated(
        ([votes[0][at] for at in order], [votes[1][at] for at in order], [votes[2][at] for at in order])
    )
    plain = estimated(votes)
    for name in ("value", "lower", "upper", "error", "weight"):
        np.testing.assert_array_equal(getattr(shuffled, name), getattr(plain, name))
    np.testing.assert_array_equal(shuffled.deviation, plain.deviation[order])


@given(numbers(), st.sampled_from([-8.0, -0.5, 0.25, 2.0, 1024.0]), st.integers(-100, 100))
def test_units_cancel(votes: Votes, factor: float, shift: int) -> None:
    plain = estimated(votes)
    moved = estimated((votes[0], votes[1], [value * factor + shift for value in votes[2]]))
    ends = ("lower", "upper") if factor > 0 else ("upper", "lower")
    for name, other in zip(("value", *ends), ("value", "lower", "upper"), strict=True):
        np.testing.assert_allclose(getattr(moved, name), getattr(plain, other) * factor + shift)
    np.testing.assert_allclose(moved.error, plain.error)
    np.testing.assert_allclose(moved.deviation, plain.deviation * np.sign(factor), atol=1e-12)


@given(numbers())
def test_what_is_agreed_on_lies_among_the_votes(votes: Votes) -> None:
    result = estimated(votes)
    for query in range(QUERIES):
        cast = [value for at, value in zip(votes[0], votes[2], strict=True) if at == query]
        found = result.lower[query], result.value[query], result.upper[query]
        if not cast:
            assert np.isnan(found).all()
        else:
            assert min(cast) <= found[0] <= found[1] <= found[2] <= max(cast)
        if len(cast) == 1:
            assert found == (cast[0],) * 3
    assert (result.weight > 0).all()
    assert result.error.min() >= 0


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=9))
def test_values_may_be_as_large_as_numbers_are(values: list[float]) -> None:
    count = len(values)
    result = estimate_numbers([0] * count, list(range(count)), values, query_count=1, source_count=count)
    assert min(values) <= result.value[0] <= max(values)
    assert np.isfinite(result.error).all()
    # Nobody of n values is more than the root of n - 1 standard deviations from the mean, nor twice that from another.
    assert np.abs(result.deviation).max() <= 2 * np.sqrt(count)


def test_one_source_says_what_it_says() -> None:
    result = estimate_numbers([0, 1], [0, 0], [3.5, -1.0], query_count=2, source_count=1)
    assert result.value.tolist() == [3.5, -1.0]
    assert result.weight.tolist() == [1.0]


def test_sources_that_are_nearer_weigh_more_and_a_majority_far_off_is_outvoted() -> None:
    random = np.random.default_rng(4)
    truth, scales = random.normal(100, 30, 200), np.array([1, 1, 20, 20, 20, 20])
    query, source = np.repeat(np.arange(200), 6), np.tile(np.arange(6), 200)
    value = truth[query] + random.normal(0, scales[source])
    result = estimate_numbers(query, source, value, query_count=200, source_count=6)
    assert result.weight[:2].min() > 2 * result.weight[2:].max()
    off, plain = np.abs(result.value - truth), np.abs(np.median(value.reshape(200, 6), axis=1) - truth)
    assert off.mean() < plain.mean() / 2


@pytest.mark.parametrize(
    ("query", "source", "value", "wrong"),
    [
        ([0], [0], [np.inf], "finite"),
        ([0, 0], [1, 1], [1.0, 2.0], "more than once"),
        ([0], [2], [1.0], "source_count"),
        ([0.5], [0], [1.0], "integers"),
        ([0, 1], [0], [1.0], "one length"),
    ],
)
def test_what_is_no_table_of_votes_is_refused(
    query: list[float], source: list[int], value: list[float], wrong: str
) -> None:
    with pytest.raises(EstimatorError, match=wrong):
        estimate_numbers(query, source, value, query_count=2, source_count=2)
