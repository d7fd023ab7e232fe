"""Evidence of copying from outside the votes: pairs suspected for other reasons, and who published first."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaln

from estimator.arrays.types import Floats, Integers
from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix


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
    evidence = evidence or PriorEvidence([], [], [])
    first, second = (np.asarray(side, dtype=np.int64) for side in (evidence.first, evidence.second))
    log_odds = np.asarray(evidence.log_odds, dtype=np.float64)
    if not first.shape == second.shape == log_odds.shape or first.ndim != 1:
        raise EstimatorError("prior evidence has as many first sources as second ones and log odds")
    both = np.concatenate((first, second))
    if (first == second).any() or (both < 0).any() or (both >= source_count).any():
        raise EstimatorError(f"prior evidence is about pairs of different sources from 0 to {source_count - 1}")
    return first, second, log_odds


def vote_times(votes: VoteMatrix, time: ArrayLike) -> Floats:
    """(V,) times of votes. Raises EstimatorError for another number of times than votes."""
    times = np.asarray(time, dtype=np.float64)
    if times.shape != votes.source.shape:
        message = f"time must hold one number for each of {votes.vote_count} votes, in the order of votes.triples()"
        raise EstimatorError(message)
    return times


class PublicationOrder:
    """Who of two sources published first, on the queries on which both vote."""

    def __init__(self, votes: VoteMatrix, time: Floats) -> None:
        """Sort the dated votes by source; `time` is (V,), NaN where unknown."""
        dated = ~np.isnan(time)
        order = np.argsort(votes.source[dated], kind="stable")
        self._vote_class = votes.vote_class[dated][order]
        self._query = votes.class_query[self._vote_class]
        self._time = time[dated][order]
        self._start = np.searchsorted(votes.source[dated][order], np.arange(votes.source_count + 1))

    def _counts(self, first: int, second: int) -> Integers:
        """(2, 2) on how many queries `second` published later and earlier, where both vote the same and do not."""
        left, right = (slice(self._start[source], self._start[source + 1]) for source in (first, second))
        _, at_left, at_right = np.intersect1d(self._query[left], self._query[right], return_indices=True)
        lag = self._time[right][at_right] - self._time[left][at_left]
        cell = 2 * (self._vote_class[left][at_left] != self._vote_class[right][at_right]) + (lag < 0)
        return np.bincount(cell[lag != 0], minlength=4).reshape(2, 2)

    def log_odds(self, first: int, second: int) -> float:
        """Log odds that the second copied the first and not the reverse, NaN without times.

        The share of the same answers that the second published later has an even prior over [0, 1]; the log odds are
        those of more than half.
        """
        later, earlier = self._counts(first, second)[0]
        if later + earlier == 0:
            return float("nan")
        first_copied = betainc(later + 1, earlier + 1, 0.5).clip(1e-300, 1)
        second_copied = betainc(earlier + 1, later + 1, 0.5).clip(1e-300, 1)
        return float(np.log(second_copied) - np.log(first_copied))

    def copying_log_odds(self, first: int, second: int) -> float:
        """Log Bayes factor that the order of publication depends on whether the two agree, at least 0.

        Independent sources publish in the same order whatever they say; a copier comes later where it copied.
        """
        same, different = self._counts(first, second)
        apart, together = betaln(*(same + 1)) + betaln(*(different + 1)), betaln(*(same + different + 1))
        return float(max(apart - together, 0.0))
