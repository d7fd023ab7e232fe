"""Intervals by the information about a source, and the band for errors that sources share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import estimate
from estimator.identifiability import systematic_band
from estimator.intervals import beta_from_information
from estimator.prior import beta_interval
from tests.estimator.copying.scenarios import copied
from tests.estimator.synthetic import CopyScenario, draw_copies

shares = st.floats(0, 1)


@given(st.tuples(shares, shares, shares), shares)
def test_the_band_holds_the_interval_and_grows_with_what_is_shared(ends: tuple[float, float, float], of: float) -> None:
    lower, middle, upper = (np.array([end]) for end in sorted(ends))
    low, high = systematic_band(middle, lower, upper, of)
    assert 0 <= low[0] <= lower[0] + 1e-12
    assert upper[0] - 1e-12 <= high[0] <= 1
    wider = systematic_band(middle, lower, upper, of + 0.1)
    assert wider[0][0] <= low[0]
    assert high[0] <= wider[1][0]


def test_a_band_of_nothing_is_the_interval() -> None:
    low, high = systematic_band(np.array([0.8]), np.array([0.7]), np.array([0.85]), 0.0)
    assert (low[0], high[0]) == pytest.approx((0.7, 0.85))


def test_where_many_share_errors_the_band_holds_what_the_interval_does_not() -> None:
    """Six in ten wrong answers of fourteen sources are the same, and queries differ in difficulty."""
    random = np.random.default_rng(0)
    reliability = tuple(random.uniform(0.5, 0.85, 14))
    scenario = CopyScenario(
        reliability, (1.0,) * 14, (-1,) * 14, query_count=1_000, favourite_error=0.6, difficulty=1.5
    )
    sample = draw_copies(scenario, random)
    result = estimate(sample.votes, "one_coin")
    assert result.systematic is not None
    right = sample.true_reliability
    low, high = systematic_band(result.reliability, result.lower, result.upper, result.systematic)
    assert ((result.lower <= right) & (right <= result.upper)).mean() < 0.5
    assert ((low <= right) & (right <= high)).mean() > 0.9


def test_copies_are_one_voice_of_dissent_and_methods_that_count_have_no_band() -> None:
    votes = copied(4).votes
    alone, grouped = (estimate(votes, method).systematic for method in ("one_coin", "auto"))
    assert alone is not None
    assert grouped is not None
    assert not np.allclose(alone, grouped)
    assert estimate(votes, "iwmv").systematic is None


def test_the_interval_of_a_source_that_is_always_right_is_finite() -> None:
    ends = np.array(beta_interval(*beta_from_information(np.array([0.0, 0.5, 1.0]), np.array([2.0, 2.0, 2.0]))))
    assert np.isfinite(ends).all()
    assert ((ends >= 0) & (ends <= 1)).all()
