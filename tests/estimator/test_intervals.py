"""Intervals of reliabilities by the information about their log odds."""

import numpy as np

from estimator.intervals import beta_from_information
from estimator.prior import beta_interval


def test_the_interval_of_a_source_that_is_always_right_is_finite() -> None:
    ends = np.array(beta_interval(*beta_from_information(np.array([0.0, 0.5, 1.0]), np.array([2.0, 2.0, 2.0]))))
    assert np.isfinite(ends).all()
    assert ((ends >= 0) & (ends <= 1)).all()
