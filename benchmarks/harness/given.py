"""Answers with their confidences: how many are right, and do their confidences hold?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Given:
    """The answer to a question, with its confidence."""

    is_right: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class Counts:
    """What is right and wrong of some answers, and how sure they are."""

    right: int
    wrong: int
    surely_wrong: int
    """Wrong with a confidence above 0.5."""
    mean: float
    """Of the confidences."""
    error: float
    """The expected calibration error, in `BINS`."""

    @classmethod
    def of(cls, given: Sequence[Given]) -> "Counts":
        right = sum(answer.is_right for answer in given)
        surely_wrong = sum(answer.confidence > 0.5 and not answer.is_right for answer in given)
        mean = float(np.mean([answer.confidence for answer in given])) if given else 0.0
        return cls(right, len(given) - right, surely_wrong, mean, calibration_error(given))


def calibration_error(given: Sequence[Given]) -> float:
    """The expected calibration error of confidences, in `BINS`."""
    confidences = np.array([answer.confidence for answer in given])
    right = np.array([answer.is_right for answer in given], dtype=np.float64)
    places = np.digitize(confidences, BINS[1:-1])
    within = [places == place for place in np.unique(places)]
    return float(sum(abs((confidences[each] - right[each]).sum()) for each in within) / max(len(given), 1))
