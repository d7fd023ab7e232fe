"""What is counted of answers with their confidences."""

import pytest

from benchmarks.harness.given import Counts, Given


def test_counts_of_right_and_wrong_and_the_error_of_confidences() -> None:
    counts = Counts.of([Given(True, 0.9), Given(False, 0.9), Given(False, 0.5)])
    assert (counts.right, counts.wrong, counts.surely_wrong) == (1, 2, 1)
    assert counts.mean == pytest.approx(2.3 / 3)
    assert counts.error == pytest.approx((abs(1.8 - 1) + 0.5) / 3)
    assert Counts.of([]) == Counts(0, 0, 0, 0.0, 0.0)
