"""Beta priors of single sources, as from the ratings of an outside list."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats, Integers
from estimator.errors import EstimatorError
from estimator.weights import clip_reliability


@dataclass(frozen=True, slots=True, eq=False)
class SourcePriors:
    """The knowledge of N sources before any vote, added to the prior of the corpus in pseudo-votes.

    `strength` further votes of a source count, of which the share `mean` is right; a source of strength 0 has the prior
    of the corpus alone. Raises EstimatorError for columns of different lengths and numbers out of range.

    >>> priors = SourcePriors(mean=[0.9, 0.5], strength=[10, 0])
    >>> priors.right.tolist(), priors.total.tolist()
    ([9.0, 0.0], [10.0, 0.0])
    """

    mean: ArrayLike
    """(N,) in [0, 1]."""
    strength: ArrayLike
    """(N,) 0 or more."""

    def __post_init__(self) -> None:
        """Check lengths and ranges."""
        mean, strength = np.asarray(self.mean, dtype=np.float64), self.total
        if mean.ndim != 1 or mean.shape != strength.shape:
            raise EstimatorError("source priors have one mean and one strength for each source")
        if not ((mean >= 0) & (mean <= 1)).all() or not ((strength >= 0) & np.isfinite(strength)).all():
            raise EstimatorError("source priors have means from 0 to 1 and finite strengths of 0 or more")

    @classmethod
    def none(cls, source_count: int) -> Self:
        return cls(np.zeros(source_count), np.zeros(source_count))

    @property
    def total(self) -> Floats:
        """(N,) pseudo-votes."""
        return np.asarray(self.strength, dtype=np.float64)

    @property
    def right(self) -> Floats:
        """(N,) pseudo-votes that are right."""
        return np.asarray(self.mean, dtype=np.float64) * self.total

    @property
    def wrong(self) -> Floats:
        """(N,) pseudo-votes that are wrong."""
        return self.total - self.right

    def log_likelihood(self, reliability: Floats) -> Floats:
        """Log probability of the pseudo-votes under reliabilities (N,) or (N, S), clipped to between 0 and 1."""
        clipped = clip_reliability(reliability)
        likelihood: Floats = self.right @ np.log(clipped) + self.wrong @ np.log1p(-clipped)
        return likelihood

    def extended(self, source_count: int, mean: float = 0.0, strength: float = 0.0) -> Self:
        """These priors, and one for the sources that follow up to `source_count`, by default none."""
        missing = (0, source_count - self.total.size)
        means = np.pad(np.asarray(self.mean, dtype=np.float64), missing, constant_values=mean)
        return type(self)(means, np.pad(self.total, missing, constant_values=strength))

    def shared(self, topic_count: int) -> Self:
        """The priors of the pairs of source and topic, (topics * N,), each with its part of the pseudo-votes."""
        mean, strength = np.asarray(self.mean, dtype=np.float64), self.total / topic_count
        return type(self)(np.tile(mean, topic_count), np.tile(strength, topic_count))

    def grouped(self, groups: Integers) -> Self:
        """The priors of copy groups (N,): the mean of the pseudo-votes of those members that have some."""
        rated = np.maximum(np.bincount(groups, self.total > 0), 1)
        right, total = (np.bincount(groups, votes) / rated for votes in (self.right, self.total))
        return type(self)(np.divide(right, total, out=np.zeros_like(total), where=total > 0), total)
