"""Answers with their confidences: how many are right, and do their confidences hold?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.harness.reliability import BINS, Judged


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
    """The expected calibration error, over `BINS` bins."""

    @classmethod
    def of(cls, given: Sequence[Given]) -> "Counts":
        right = sum(answer.is_right for answer in given)
        surely_wrong = sum(answer.confidence > 0.5 and not answer.is_right for answer in given)
        judged = Judged(
            np.array([answer.confidence for answer in given]),
            np.array([answer.is_right for answer in given], dtype=bool),
        )
        mean = float(judged.confidence.mean()) if given else 0.0
        return cls(right, len(given) - right, surely_wrong, mean, float(judged.error_in(BINS)))
