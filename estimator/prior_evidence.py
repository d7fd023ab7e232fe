"""What is known of copying from outside the votes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from estimator.errors import EstimatorError


@dataclass(frozen=True, slots=True, eq=False)
class PriorEvidence:
    """Pairs of sources, in any order, with log odds by which something outside the votes speaks against independence.

    >>> evidence = PriorEvidence(first=[0], second=[3], log_odds=[2.5])
    """

    first: ArrayLike
    second: ArrayLike
    log_odds: ArrayLike

    def matrix(self, source_count: int) -> sparse.csr_array:
        """(N, N) sums of the log odds of each pair, above the diagonal. Raises EstimatorError for columns of different
        lengths and pairs that are not two different ones of the sources.
        """
        first, second = (np.asarray(side, dtype=np.int64) for side in (self.first, self.second))
        log_odds = np.asarray(self.log_odds, dtype=np.float64)
        if not first.shape == second.shape == log_odds.shape or first.ndim != 1:
            raise EstimatorError("prior evidence has as many first sources as second ones and log odds")
        low, high = np.minimum(first, second), np.maximum(first, second)
        if (low == high).any() or (low < 0).any() or (high >= source_count).any():
            raise EstimatorError(f"prior evidence is about pairs of different sources from 0 to {source_count - 1}")
        return sparse.csr_array((log_odds, (low, high)), shape=(source_count, source_count))
