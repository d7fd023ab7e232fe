"""Which of two sources copied the other, where the votes have times."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc

from estimator.arrays.types import Floats
from estimator.copying.layout import SourceVotes
from estimator.copying.pairs import Pairs, blocks
from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix

_BLOCK_VOTES = 4_000_000.0


def vote_times(votes: VoteMatrix, time: ArrayLike) -> Floats:
    """(V,) times of votes. Raises EstimatorError for another number of times than votes."""
    times = np.asarray(time, dtype=np.float64)
    if times.shape != votes.source.shape:
        message = f"time must hold one number for each of {votes.vote_count} votes, in the order of votes.triples()"
        raise EstimatorError(message)
    return times


def time_ranks(source_votes: SourceVotes, time: Floats) -> Floats:
    """(V,) times by source as ranks from 1, 0 where a time is unknown (NaN)."""
    _, rank = np.unique(time[source_votes.position], return_inverse=True)
    return np.where(np.isnan(time[source_votes.position]), 0.0, rank + 1.0)


def second_copied(source_votes: SourceVotes, pairs: Pairs, wrong: Floats, rank: Floats) -> Floats:
    """(P,) log odds that the second source copied the first and not the reverse; NaN for a pair without times.

    The share s of the shared wrong answers that the second source had later has an even prior over [0, 1]; the log odds
    are those of s > 1/2. `wrong` is the probability that a vote is wrong, `rank` its time, both (V,) by source.
    """
    dated = source_votes.subset((wrong > 0) & (rank > 0))
    rank_table = dated.by_class(rank[(wrong > 0) & (rank > 0)])
    wrong_table = dated.by_class(wrong[(wrong > 0) & (rank > 0)])
    present = rank_table.copy()
    present.data = np.ones_like(present.data)
    size = np.diff(rank_table.indptr)
    later, earlier = np.zeros(pairs.size), np.zeros(pairs.size)
    for block in blocks((size[pairs.first] + size[pairs.second]).astype(np.float64), _BLOCK_VOTES):
        first, second = pairs.first[block], pairs.second[block]
        lag = rank_table[second].multiply(present[first]) - rank_table[first].multiply(present[second])
        later[block] = (lag > 0).multiply(wrong_table[first]).sum(axis=1)
        earlier[block] = (lag < 0).multiply(wrong_table[first]).sum(axis=1)
    above, below = betaincc(later + 1, earlier + 1, 0.5), betainc(later + 1, earlier + 1, 0.5)
    with np.errstate(divide="ignore"):
        log_odds: Floats = np.log(above) - np.log(below)
    return np.where(later + earlier > 0, log_odds, np.nan)
