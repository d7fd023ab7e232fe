"""Who took it from whom, where the votes have times."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from estimator.copying.layout import Floats, Roll
from estimator.copying.pairs import Pairs, blocks
from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix

_BLOCK_VOTES = 4_000_000.0


def published(votes: VoteMatrix, time: ArrayLike) -> Floats:
    """(V,) times of votes; raises EstimatorError for another number of times than votes."""
    times = np.asarray(time, dtype=np.float64)
    if times.shape != votes.source.shape:
        message = f"time must hold one number for each of {votes.vote_count} votes, in the order of votes.triples()"
        raise EstimatorError(message)
    return times


def ranks(roll: Roll, time: Floats) -> Floats:
    """(V,) times as numbers above 0 by source, 0 where a time is unknown (NaN)."""
    _, rank = np.unique(time[roll.position], return_inverse=True)
    return np.where(np.isnan(time[roll.position]), 0.0, rank + 1.0)


def second_copied(roll: Roll, pairs: Pairs, doubt: Floats, rank: Floats) -> Floats:
    """(P,) log odds that the second source took from the first, by who had the shared wrong answers later.

    The share of them that the second had later is a number with an even prior over [0, 1]; the odds are those of more
    than a half against less. `doubt` and `rank` are (V,) in the order of the roll; a pair without times is NaN.
    """
    dated = roll.only((doubt > 0) & (rank > 0))
    when = dated.by_class(rank[(doubt > 0) & (rank > 0)])
    weight = dated.by_class(doubt[(doubt > 0) & (rank > 0)])
    present = when.copy()
    present.data = np.ones_like(present.data)
    size = np.diff(when.indptr)
    later, earlier = np.zeros(pairs.size), np.zeros(pairs.size)
    for block in blocks((size[pairs.first] + size[pairs.second]).astype(np.float64), _BLOCK_VOTES):
        first, second = pairs.first[block], pairs.second[block]
        lag = when[second].multiply(present[first]) - when[first].multiply(present[second])
        later[block] = (lag > 0).multiply(weight[first]).sum(axis=1)
        earlier[block] = (lag < 0).multiply(weight[first]).sum(axis=1)
    belief = stats.beta(later + 1, earlier + 1)
    odds: Floats = belief.logsf(0.5) - belief.logcdf(0.5)
    return np.where(later + earlier > 0, odds, np.nan)
