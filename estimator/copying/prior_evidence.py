"""Evidence of copying from outside the votes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats, Integers
from estimator.errors import EstimatorError


@dataclass(frozen=True, slots=True, eq=False)
class PriorEvidence:
    """Pairs of sources, in any order, with the log odds by which something outside the votes makes copying likelier.

    For near-duplicate passages: log of how often copiers have as many, over how often independent sources do.

    >>> evidence = PriorEvidence(first=[0], second=[3], log_odds=[2.5])
    """

    first: ArrayLike
    second: ArrayLike
    log_odds: ArrayLike


def checked_prior_evidence(evidence: PriorEvidence | None, source_count: int) -> tuple[Integers, Integers, Floats]:
    """First and second sources and log odds of the evidence. Raises EstimatorError for columns of different lengths
    and pairs that are not two different sources.
    """
    if evidence is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    first, second = (np.asarray(side, dtype=np.int64) for side in (evidence.first, evidence.second))
    log_odds = np.asarray(evidence.log_odds, dtype=np.float64)
    if not first.shape == second.shape == log_odds.shape or first.ndim != 1:
        raise EstimatorError("prior evidence has as many first sources as second ones and log odds")
    both = np.concatenate((first, second))
    if (first == second).any() or (both < 0).any() or (both >= source_count).any():
        raise EstimatorError(f"prior evidence is about pairs of different sources from 0 to {source_count - 1}")
    return first, second, log_odds
