"""Evidence of copying from outside the votes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.types import Floats
from estimator.copying.pairs import Pairs
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


def add_prior_evidence(pairs: Pairs, evidence: PriorEvidence | None, source_count: int) -> tuple[Pairs, Floats]:
    """The pairs and those of the evidence, none twice, and (P,) log odds to add for each. Raises EstimatorError for
    columns of different lengths and pairs that are not two different sources.
    """
    if evidence is None:
        return pairs, np.zeros(pairs.size)
    first, second = (np.asarray(side, dtype=np.int64) for side in (evidence.first, evidence.second))
    log_odds = np.asarray(evidence.log_odds, dtype=np.float64)
    if not first.shape == second.shape == log_odds.shape or first.ndim != 1:
        raise EstimatorError("prior evidence has as many first sources as second ones and log odds")
    both = np.concatenate((first, second))
    if (first == second).any() or (both < 0).any() or (both >= source_count).any():
        raise EstimatorError(f"prior evidence is about pairs of different sources from 0 to {source_count - 1}")
    keys = np.minimum(first, second) * source_count + np.maximum(first, second)
    key, place = np.unique(np.concatenate((pairs.first * source_count + pairs.second, keys)), return_inverse=True)
    added: Floats = np.bincount(place[pairs.size :], log_odds, minlength=key.size).astype(np.float64)
    return Pairs(key // source_count, key % source_count), added
