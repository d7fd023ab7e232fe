"""Credible intervals of a model's reliabilities, from the curvature of the log evidence."""

from typing import Final, Protocol

import numpy as np
from scipy import sparse

from estimator.arrays.readings import gradient, observed_information
from estimator.arrays.segment_maxima import concatenated_ranges
from estimator.arrays.types import Floats
from estimator.arrays.vote_table import VoteTable
from estimator.source_priors import SourcePriors

# The covariance of sources that vote together is estimated up to this many sources, from a sample of this many queries.
_COUPLED_SOURCES: Final = 300
_COUPLED_QUERIES: Final = 20_000
_CHUNK: Final = 4_096
_LEAST: Final = 1e-12


class BetaParameters(Protocol):
    """The parameters of Beta priors: one prior for all sources, or (N,) of them."""

    @property
    def alpha(self) -> float | Floats:
        """The first parameter: right pseudo-votes."""
        ...

    @property
    def beta(self) -> float | Floats:
        """The second: wrong ones."""
        ...


def beta_posterior(
    table: VoteTable,
    right: Floats,
    reliability: Floats,
    prior: BetaParameters,
    *,
    priors: SourcePriors | None = None,
    coupled: bool = True,
    luck: float = 0.0,
) -> tuple[Floats, Floats]:
    """Parameters (N,) of a Beta distribution around each reliability w (N,), given the probability `right` (C,) of
    every class.

    The gradient of the log evidence of a query in the log odds of source i is `q_ij - w_i`, where q_ij is the
    probability that its vote is right; the sum of squares is the observed information (Louis 1982, J. R. Stat.
    Soc. B 44, 226-233), to which that of the prior and of `priors` is added. `coupled` widens the distributions of
    sources that vote together, as their reliabilities are uncertain together. `luck` is that of misreadings, where
    votes may be misread.
    """
    observed = observed_information(table, right, reliability, luck)
    expected = expected_information(reliability, prior, priors or SourcePriors.none(reliability.size))
    inflation = variance_inflation(table, right, reliability, observed, expected, luck) if coupled else 1.0
    return beta_from_information(reliability, (observed + expected) / inflation)


def beta_from_information(reliability: Floats, information: Floats) -> tuple[Floats, Floats]:
    """Parameters (N,) of the Beta distributions around reliabilities (N,) whose log odds have this information (N,).

    Around a reliability of 0 or 1, which has no log odds, they are those of the nearest one that has.
    """
    reliability = np.clip(reliability, _LEAST, 1 - _LEAST)
    strength = information / (reliability * (1 - reliability))
    return reliability * strength, (1 - reliability) * strength


def expected_information(reliability: Floats, prior: BetaParameters, priors: SourcePriors) -> Floats:
    """(N,) information of the priors about the log odds of the reliabilities."""
    alpha, beta = prior.alpha + priors.right, prior.beta + priors.wrong
    information: Floats = alpha * (1 - reliability) ** 2 + beta * reliability**2
    return information


def variance_inflation(
    table: VoteTable, right: Floats, reliability: Floats, observed: Floats, expected: Floats, luck: float = 0.0
) -> Floats:
    """(N,) how much larger a variance is because the reliabilities of the other sources are not known either; 1 where
    there are too many sources to tell.
    """
    if not 1 < reliability.size <= _COUPLED_SOURCES or not table.query.size:
        return np.ones(reliability.size)
    step = -(-table.query.size // _COUPLED_QUERIES)
    cross = _cross_products(table, right, reliability, step, luck)
    scale = np.sqrt(np.divide(observed, cross.diagonal(), out=np.ones_like(observed), where=cross.diagonal() > 0))
    information = cross * np.outer(scale, scale)
    np.fill_diagonal(information, observed + expected)
    variance = np.linalg.inv(information).diagonal()
    inflation: Floats = np.maximum(variance * (observed + expected), 1.0)
    return inflation


def _cross_products(table: VoteTable, right: Floats, reliability: Floats, step: int, luck: float) -> Floats:
    """(N, N) sums over every step-th query of `(q_ij - w_i) (q_kj - w_k)`, or of the gradients of misread votes."""
    rows = np.arange(0, table.first_class.size, step)
    sample = table.take_rows(rows)
    classes = concatenated_ranges(table.first_class[rows], np.diff(sample.first_class, append=sample.class_count))
    residual = gradient(sample, right[classes], reliability, luck)
    query = np.repeat(np.arange(rows.size), sample.query_votes())
    shape = (rows.size, reliability.size)
    residuals = sparse.coo_array((residual, (query, sample.source)), shape=shape).tocsr()
    total = np.zeros((reliability.size, reliability.size))
    for begin in range(0, shape[0], _CHUNK):
        chunk = residuals[begin : begin + _CHUNK].toarray()
        total += chunk.T @ chunk
    return total
