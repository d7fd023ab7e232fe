"""The split of the wrong votes on a query: into how many answers, and how evenly. Estimated from the corpus.

The votes on a query that are not right form a partition into answer classes. Its probability is a mixture over two
families of exchangeable partition probabilities, which need no names for answers that nobody gave. For r wrong votes in
d classes of sizes n_1 ... n_d:

    uniform(K)     K! / (K - d)! / K^r            K plausible wrong answers, equally likely
    ewens(theta)   theta^d Gamma(theta) / Gamma(theta + r) prod_c (n_c - 1)!
                   (Ewens 1972, doi:10.1016/0040-5809(72)90035-4; the Chinese restaurant process): a wrong answer
                   attracts further votes, as where many make the same mistake or sites copy
"""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from scipy.special import gammaln, logsumexp

from estimator.arrays.sorting import cache_blocks, unique_inverse
from estimator.arrays.types import Floats, Indices, Integers
from estimator.arrays.vote_table import VoteTable

COUNTS: Final[Floats] = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 300, 1000], dtype=np.float64)
_THETAS: Final[Floats] = np.exp2(np.arange(-2.0, 8.0))
# A hundredth of a query for each member of a family keeps every member possible.
_PSEUDO_QUERIES: Final = 0.01
_STEPS: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class WrongAnswerMixture:
    """Shares of the members of both families, which sum to 1.

    >>> round(WrongAnswerMixture.flat().plausible, 1)
    4.4
    """

    uniform: Floats
    ewens: Floats

    @classmethod
    def flat(cls) -> Self:
        """The mixture before any vote: half to each family."""
        return cls(np.full(COUNTS.size, 0.5 / COUNTS.size), np.full(_THETAS.size, 0.5 / _THETAS.size))

    @property
    def plausible(self) -> float:
        """The number of plausible wrong answers, `1 / P(two wrong votes on a query agree)`."""
        return float(1 / (self.uniform @ (1 / COUNTS) + self.ewens @ (1 / (1 + _THETAS))))

    @property
    def luck(self) -> float:
        """The probability that an answer which has nothing to do with the truth is right."""
        return 1 / (1 + self.plausible)


@dataclass(frozen=True, slots=True, eq=False)
class WrongVotePartitions:
    """The partition of the wrong votes for each of C classes, if it is right, and for each of K queries, if none is.

    R = C + K rows, first the classes. But for `spread`, the probability of a row depends only on the number of wrong
    votes and of their classes; `shape` numbers the U different pairs of these.
    """

    shape: Indices
    """(R,)"""
    spread: Floats
    """(R,) sum of log (size - 1)! over the wrong classes."""
    uniform: Floats
    """(U, members) log probability of every shape."""
    ewens: Floats
    """(U, members) the same, without `spread`."""

    @classmethod
    def of(cls, table: VoteTable) -> Self:
        return cls.of_rows(*wrong_votes(table))

    @classmethod
    def of_rows(cls, classes: Integers, wrong: Integers, spread: Floats) -> Self:
        """The partitions with these numbers of wrong classes and wrong votes and this `spread`, all (R,)."""
        base = int(wrong.max(initial=0)) + 1
        pairs, shape = unique_inverse(classes * base + wrong, (int(classes.max(initial=0)) + 1) * base)
        uniform, ewens = _log_probabilities(*np.divmod(pairs, base))
        return cls(shape.astype(np.int32), spread, uniform, ewens)

    def likelihood(self, mixture: WrongAnswerMixture) -> "PartitionLikelihood":
        """The log probability of every row under a mixture."""
        with np.errstate(divide="ignore"):
            uniform = logsumexp(self.uniform + np.log(mixture.uniform), axis=1)
            ewens = logsumexp(self.ewens + np.log(mixture.ewens), axis=1)
        row = np.empty(self.spread.size)
        for block in cache_blocks(row.size):
            shape = self.shape[block]
            np.logaddexp(uniform[shape], ewens[shape] + self.spread[block], out=row[block])
        return PartitionLikelihood(mixture, uniform, ewens, row)

    def refit(self, now: "PartitionLikelihood", probability: Floats) -> "PartitionLikelihood":
        """One EM step for the shares of the mixture, given the posterior probability (R,) of every row."""
        of_uniform, of_ewens = np.zeros(now.uniform.size), np.zeros(now.uniform.size)
        for block in cache_blocks(probability.size):
            shape, share = self.shape[block], probability[block]
            uniform_share = share * np.exp(now.uniform[shape] - now.row[block])
            of_uniform += np.bincount(shape, weights=uniform_share, minlength=of_uniform.size)
            of_ewens += np.bincount(shape, weights=share - uniform_share, minlength=of_uniform.size)
        uniform = _shares(self.uniform, now.mixture.uniform, now.uniform, of_uniform)
        ewens = _shares(self.ewens, now.mixture.ewens, now.ewens, of_ewens)
        total = uniform.sum() + ewens.sum()
        return self.likelihood(replace(now.mixture, uniform=uniform / total, ewens=ewens / total))


@dataclass(frozen=True, slots=True, eq=False)
class PartitionLikelihood:
    """Log probabilities under one mixture."""

    mixture: WrongAnswerMixture
    uniform: Floats
    """(U,) of every shape by the uniform family."""
    ewens: Floats
    """(U,) by the other, without `spread`."""
    row: Floats
    """(R,)"""


def wrong_votes(table: VoteTable) -> tuple[Integers, Integers, Floats]:
    """Numbers of wrong classes and of wrong votes, and `spread`, for each of C classes, if it is right, and for each of
    K queries, if none is; all (C + K,).
    """
    supporters = np.diff(table.class_start)
    logs = _log_factorials(supporters)
    total = np.add.reduceat(logs, table.first_class) if logs.size else logs
    votes, classes = table.query_votes(), np.diff(table.first_class, append=table.class_count)
    # A class that is right leaves one class fewer, and as many votes fewer as it has supporters.
    return (
        np.concatenate([np.repeat(classes - 1, classes), classes]),
        np.concatenate([np.repeat(votes, classes) - supporters, votes]),
        np.concatenate([np.repeat(total, classes) - logs, total]),
    )


def _log_factorials(size: Indices) -> Floats:
    """log (size - 1)!, elementwise."""
    logs: Floats = gammaln(np.arange(int(size.max(initial=0)) + 1, dtype=np.float64))[size]
    return logs


def _log_probabilities(classes: Integers, wrong: Integers) -> tuple[Floats, Floats]:
    """(U, members) of both families, without `spread`."""
    d, r = classes[:, None].astype(np.float64), wrong[:, None].astype(np.float64)
    unused = np.maximum(COUNTS - d, 0.0)
    uniform = np.where(d <= COUNTS, gammaln(COUNTS + 1) - gammaln(unused + 1) - r * np.log(COUNTS), -np.inf)
    ewens = d * np.log(_THETAS) + gammaln(_THETAS) - gammaln(_THETAS + r)
    return uniform, ewens


def _shares(members: Floats, share: Floats, total: Floats, weight: Floats) -> Floats:
    """Expected number of queries of every member of a family, given those (U,) of the family by shape."""
    possible = np.isfinite(total) & (weight > 0)
    likelihood = np.exp(members[possible] - members[possible].max(axis=1, keepdims=True, initial=-np.inf))
    count = weight[possible]
    expected = share
    for _ in range(_STEPS):  # shapes are few, so several steps within a family cost hardly more than one
        joint = likelihood * expected
        expected = (count / joint.sum(axis=1)) @ joint + _PSEUDO_QUERIES
    return expected
