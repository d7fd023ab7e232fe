"""Answers of drawn worlds to questions that their estimate did not see."""

import numpy as np
import pytest

from benchmarks.calibration.worlds import NOTHING, fitted_and_judged
from estimator.policies import Doubt
from tests.estimator.synthetic import Prior, Scenario, draw


def test_confidence_holds_on_average_where_votes_tell_no_order() -> None:
    """Of yes or no by mixed sources; it was too low by 0.15 while intervals that tell no order counted."""
    joined = NOTHING
    for seed in (3, 7, 9, 10):
        sample = draw(Scenario(9, 400, Prior.BETA, 0.6, 1), np.random.default_rng(seed))
        result, judged, _ = fitted_and_judged(sample.votes, sample.truth, np.arange(400) < 200)
        assert result.doubt is Doubt.AT_RANDOM
        joined = joined.joined(judged)
    assert joined.confidence.mean() == pytest.approx(joined.right.mean(), abs=0.05)
