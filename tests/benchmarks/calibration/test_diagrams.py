"""Reliability diagrams: every answer in one bin, and intervals as wide as so few answers leave them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.calibration.diagrams import bins_of
from benchmarks.calibration.worlds import Judged


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


def test_the_interval_is_wilsons() -> None:
    (bin_,) = bins_of(Judged(np.full(10, 0.95), np.arange(10) < 9))
    assert (bin_.low, bin_.high) == pytest.approx((0.5958, 0.9821), abs=1e-4)
