"""Which query to put next to a source, to know its reliability better."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimator.errors import EstimatorError
from estimator.result import Estimate
from estimator.votes import VoteMatrix

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NextQueries:
    """Queries a source has not voted on, the most telling first."""

    query: Integers
    gain: Floats
    """What the vote is expected to tell, as a share of what one on a query of known answer would, in [0, 1]."""


def next_queries(votes: VoteMatrix, result: Estimate, source: int, count: int = 1) -> NextQueries:
    """The `count` queries whose vote is expected to tell most about the reliability w of `source`.

    A vote that turns out right with probability q tells `(q - w)^2` (see `uncertainty`); the expectation is over what
    the source may answer: an answer that others gave, or another plausible one. Queries whose answer is certain tell
    most, and queries nobody answered nothing. Raises EstimatorError for an estimate without probabilities.
    """
    if not 0 <= source < votes.source_count:
        message = f"source {source} is none of the {votes.source_count} sources"
        raise EstimatorError(message)
    if result.posterior.size != votes.class_count or np.isnan(result.posterior).any():
        message = "give the estimate of these votes by Method.AUTO, Method.BAYES or Method.CONFUSION"
        raise EstimatorError(message)
    reliability = float(np.clip(result.reliability[source], 1e-6, 1 - 1e-6))
    gain = _gain(votes, result, reliability) / (reliability * (1 - reliability))
    query, first = np.unique(votes.class_query, return_index=True)
    told = np.zeros(votes.query_count)
    told[query] = np.add.reduceat(gain, first) if gain.size else gain
    told[_voted(votes, source)] = -1.0
    best = np.argsort(-told, kind="stable")[: max(count, 0)]
    best = best[told[best] >= 0]
    return NextQueries(best, told[best].clip(0.0, 1.0))


def _gain(votes: VoteMatrix, result: Estimate, reliability: float) -> Floats:
    """(C,) expected `(q - w)^2` of an answer times its chance, with an even part of that of answers nobody gave."""
    wrong = max(result.labels - 1, 1)
    right = reliability * result.posterior
    chance = right + (1 - reliability) * (1 - result.posterior) / wrong
    share = np.divide(right, chance, out=np.full_like(right, reliability), where=chance > 0)
    known = np.bincount(votes.class_query, result.posterior, votes.query_count)[votes.class_query].astype(np.float64)
    split = np.bincount(votes.class_query, minlength=votes.query_count)[votes.class_query].astype(np.float64)
    elsewhere = np.clip(1 - reliability * known - (1 - reliability) * np.minimum(split - known, wrong) / wrong, 0, 1)
    gain: Floats = chance * (share - reliability) ** 2 + elsewhere * (_unheard(known, reliability) / split)
    return gain


def _unheard(known: Floats, reliability: float) -> Floats:
    """`(q - w)^2` of an answer nobody gave: right only if nobody was right so far."""
    right = reliability * (1 - known)
    return (right / (right + (1 - reliability)) - reliability) ** 2


def _voted(votes: VoteMatrix, source: int) -> Integers:
    places = np.flatnonzero(votes.source == source)
    return votes.class_query[np.searchsorted(votes.class_start, places, side="right") - 1].astype(np.int64)
