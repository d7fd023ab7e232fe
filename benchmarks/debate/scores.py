"""Scores of lists of answers, with bootstrap intervals and paired differences."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from answering.debates.support import contains_phrase
from answering.equivalence import answer_key

RESAMPLES = 4_000
SEED = 5


@dataclass(frozen=True, slots=True)
class Score:
    """`strict`: all gold answers and no wrong one (RAMDocs); precision without any answer is 0."""

    strict: float
    precision: float
    recall: float
    f1: float


def same(said: str, wanted: str) -> bool:
    """One class, or the words of one stand in the other."""
    return answer_key(said) == answer_key(wanted) or contains_phrase(wanted, said) or contains_phrase(said, wanted)


def score(answers: Sequence[str], gold: Sequence[str], wrong: Sequence[str]) -> Score:
    """How well the answers are the gold ones."""
    right = [any(same(answer, one) for one in gold) for answer in answers]
    found = [any(same(answer, one) for answer in answers) for one in gold]
    misled = any(
        any(same(answer, one) for one in wrong) for answer, fits in zip(answers, right, strict=True) if not fits
    )
    precision = sum(right) / len(right) if right else 0.0
    recall = sum(found) / len(found)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(float(all(found) and not misled), precision, recall, f1)


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean and its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return self.shown(3)

    def shown(self, digits: int) -> str:
        """With so many digits behind the point."""
        return f"{self.mean:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"

    @property
    def signed(self) -> str:
        """As a difference."""
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def spread(values: Sequence[float]) -> Spread:
    """The mean over questions, which are drawn anew with replacement."""
    sample: npt.NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(SEED)
    means = sample[generator.integers(0, sample.size, (RESAMPLES, sample.size))].mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return Spread(float(sample.mean()), float(low), float(high))
