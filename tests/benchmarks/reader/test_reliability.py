"""Reliability diagrams of the reader."""

import numpy as np
import pytest

from benchmarks.reader.reliability import Bin, bins, calibration_error


def test_readings_fall_into_tenths_of_their_confidence() -> None:
    tenths = bins(np.array([0.125, 0.175, 0.55, 1.0]), np.array([True, False, False, True]))
    assert [place for place, tenth in enumerate(tenths) if tenth] == [1, 5, 9]
    assert tenths[1] == Bin(readings=2, confidence=0.15, right=0.5)
    assert tenths[9] == Bin(1, 1.0, 1.0)


def test_the_error_is_the_mean_distance_of_all_readings() -> None:
    assert calibration_error([Bin(3, 0.2, 0.6), None, Bin(1, 0.9, 0.7)]) == pytest.approx((3 * 0.4 + 0.2) / 4)
