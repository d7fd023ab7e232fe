"""Reliability diagrams, and the drawn worlds whose answers are put in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration.worlds import NOTHING, fitted_and_judged
from benchmarks.harness.reliability import Judged, bins_of
from estimator.policies import Doubt
from tests.estimator.synthetic import Prior, Scenario, draw


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_bins_hold_all_answers_and_intervals_their_shares(answers: list[tuple[float, bool]]) -> None:
    confidence, right = (np.array(values) for values in zip(*answers, strict=True))
    bins = bins_of(Judged(confidence, right))
    assert sum(bin_.count for bin_ in bins) == len(answers)
    assert sum(bin_.count * bin_.right for bin_ in bins) == pytest.approx(right.sum())
    for bin_ in bins:
        assert bin_.lower <= bin_.confidence <= bin_.upper
        assert 0 <= bin_.low <= bin_.right <= bin_.high <= 1
        assert bin_.holds == (bin_.low <= bin_.confidence <= bin_.high)


def test_the_error_is_the_mean_distance_over_all_answers() -> None:
    judged = Judged(np.array([0.2, 0.2, 0.2, 0.9]), np.array([True, True, False, True]))
    assert judged.error == pytest.approx((3 * abs(0.2 - 2 / 3) + 0.1) / 4)


def test_the_interval_is_wilsons() -> None:
    (bin_,) = bins_of(Judged(np.full(10, 0.95), np.arange(10) < 9))
    assert (bin_.low, bin_.high) == pytest.approx((0.5958, 0.9821), abs=1e-4)


def test_confidence_holds_on_average_where_votes_tell_no_order() -> None:
    """Of yes or no by mixed sources; it was too low by 0.15 while intervals that tell no order counted."""
    joined = NOTHING
    for seed in (3, 7, 9, 10):
        sample = draw(Scenario(9, 400, Prior.BETA, 0.6, 1), np.random.default_rng(seed))
        result, judged, _ = fitted_and_judged(sample.votes, sample.truth, np.arange(400) < 200)
        assert result.doubt is Doubt.AT_RANDOM
        joined = joined.joined(judged)
    assert joined.confidence.mean() == pytest.approx(joined.right.mean(), abs=0.05)
