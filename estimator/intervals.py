"""How sure a fit is of its reliabilities, from how sharply the evidence falls beside them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from estimator.arrays.segment_maxima import runs
from estimator.arrays.vote_table import Ballot
from estimator.prior import BetaPrior

Floats = NDArray[np.float64]

# Sources that vote together are uncertain together. Beyond these sizes that is estimated from a part, or small.
_COUPLED_SOURCES: Final = 300
_COUPLED_QUERIES: Final = 20_000
_CHUNK: Final = 4_096


def beta_posterior(
    ballot: Ballot, right: Floats, reliability: Floats, prior: BetaPrior, *, coupled: bool = True
) -> tuple[Floats, Floats]:
    """Parameters (N,) of a Beta distribution for every source around its reliability (N,), given the probability (C,)
    of every class.

    The gradient of the log evidence of a query in the log odds of source i is `q_ij - w_i`, where q_ij is the
    probability that its vote is right; the sum of squares is the observed information (Louis 1982), to which the
    prior adds its own. A vote that is right with probability one half tells little, and counts little.
    `coupled` sources are uncertain together, as far as they vote together.
    """
    first, second = ballot.sums(right), ballot.sums(right**2)
    told = second - 2 * reliability * first + ballot.turnout * reliability**2
    believed = prior.right * (1 - reliability) ** 2 + prior.wrong * reliability**2
    strength = (told + believed) / (reliability * (1 - reliability))
    if coupled and 1 < reliability.size <= _COUPLED_SOURCES and ballot.query.size:
        strength /= _inflation(ballot, right, reliability, told, believed)
    return reliability * strength, (1 - reliability) * strength


def _inflation(ballot: Ballot, right: Floats, reliability: Floats, told: Floats, believed: Floats) -> Floats:
    """(N,) how much larger a variance is when the reliabilities of the others are not known either."""
    step = -(-ballot.query.size // _COUPLED_QUERIES)
    cross = _cross_products(ballot, right, reliability, step)
    scale = np.sqrt(np.divide(told, cross.diagonal(), out=np.ones_like(told), where=cross.diagonal() > 0))
    information = cross * np.outer(scale, scale)
    np.fill_diagonal(information, told + believed)
    variance = np.linalg.inv(information).diagonal()
    inflation: Floats = np.maximum(variance * (told + believed), 1.0)
    return inflation


def _cross_products(ballot: Ballot, right: Floats, reliability: Floats, step: int) -> Floats:
    """(N, N) sums over every step-th query of `(q_ij - w_i) (q_kj - w_k)`."""
    rows = np.arange(0, ballot.first.size, step)
    some = ballot.of_rows(rows)
    classes = runs(ballot.first[rows], np.diff(some.first, append=some.class_count))
    residual = np.repeat(right[classes], np.diff(some.class_start)) - reliability[some.source]
    query = np.repeat(np.arange(rows.size), some.voters())
    shape = (rows.size, reliability.size)
    table = sparse.coo_array((residual, (query, some.source)), shape=shape).tocsr()
    total = np.zeros((reliability.size, reliability.size))
    for begin in range(0, shape[0], _CHUNK):
        part = table[begin : begin + _CHUNK].toarray()
        total += part.T @ part
    return total
