"""The next query for a source, to know its reliability better (active learning)."""

from dataclasses import dataclass

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.errors import EstimatorError
from estimator.result import Estimate
from estimator.votes import VoteMatrix
from estimator.weights import clip_reliability


@dataclass(frozen=True, slots=True, eq=False)
class NextQueries:
    """Queries that a source has not voted on, the most informative first; see `next_queries` for an example.

    >>> import numpy as np
    >>> NextQueries(np.array([4, 2]), np.array([0.9, 0.3])).query.tolist()
    [4, 2]
    """

    query: Integers
    gain: Floats
    """Expected information of the vote, as a share of that of one on a query of known answer, in [0, 1]."""


def next_queries(votes: VoteMatrix, result: Estimate, source: int, count: int = 1) -> NextQueries:
    """The `count` queries whose vote is expected to be most informative of the reliability w of `source`.

    A vote that turns out right with probability q contributes `(q - w)^2` to the observed information (see
    `intervals`); the expectation is over what the source may answer: an answer that others gave, or another plausible
    one. A query whose answer is certain is most informative, a query without votes not at all. Raises EstimatorError
    for an unknown source and for an estimate without probabilities.

    >>> from estimator import estimate
    >>> query, source = [0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 0]
    >>> votes = VoteMatrix.from_triples(query, source, [5, 5, 6, 5, 5, 5], query_count=4, source_count=3)
    >>> next_queries(votes, estimate(votes, "one_coin"), source=2, count=2).query.tolist()
    [1, 2]
    """
    if not 0 <= source < votes.source_count:
        raise EstimatorError(f"source {source} is none of the {votes.source_count} sources")
    if result.posterior.size != votes.class_count or np.isnan(result.posterior).any():
        raise EstimatorError("give the estimate of these votes by auto, one_coin or dawid_skene")
    reliability = float(clip_reliability(result.reliability[source]))
    class_gain = _gain(votes, result, reliability) / (reliability * (1 - reliability))
    query, first = np.unique(votes.class_query, return_index=True)
    gain = np.zeros(votes.query_count)
    gain[query] = np.add.reduceat(class_gain, first) if class_gain.size else class_gain
    gain[_voted_on(votes, source)] = -1.0
    best = np.argsort(-gain, kind="stable")[: max(count, 0)]
    best = best[gain[best] >= 0]
    return NextQueries(best, gain[best].clip(0.0, 1.0))


def _gain(votes: VoteMatrix, result: Estimate, reliability: float) -> Floats:
    """(C,) expected `(q - w)^2` of each answer times its probability; the part of answers that nobody gave is spread
    evenly over the classes of the query.
    """
    wrong = max(result.labels - 1, 1)
    right = reliability * result.posterior
    probability = right + (1 - reliability) * (1 - result.posterior) / wrong
    share = np.divide(right, probability, out=np.full_like(right, reliability), where=probability > 0)
    covered = np.bincount(votes.class_query, result.posterior, votes.query_count)[votes.class_query].astype(np.float64)
    classes = np.bincount(votes.class_query, minlength=votes.query_count)[votes.class_query].astype(np.float64)
    other = np.clip(1 - reliability * covered - (1 - reliability) * np.minimum(classes - covered, wrong) / wrong, 0, 1)
    gain: Floats = probability * (share - reliability) ** 2 + other * (_gain_of_new(covered, reliability) / classes)
    return gain


def _gain_of_new(covered: Floats, reliability: float) -> Floats:
    """`(q - w)^2` of an answer that nobody gave: right only if none of the given ones is."""
    right = reliability * (1 - covered)
    return (right / (right + (1 - reliability)) - reliability) ** 2


def _voted_on(votes: VoteMatrix, source: int) -> Integers:
    places = np.flatnonzero(votes.source == source)
    return votes.class_query[np.searchsorted(votes.class_start, places, side="right") - 1].astype(np.int64)
