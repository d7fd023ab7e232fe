"""How wrong votes split: into how many answers, and how evenly. Estimated from the corpus, never assumed.

The votes on a query that are not right form a partition into classes. Its probability is a mixture over two families:
`uniform(K)`, where each of K plausible wrong answers is as likely, and `ewens(theta)`, where a wrong answer draws the
more votes the more it has (Ewens 1972; the Chinese restaurant process), as where people err alike or sites copy. Both
are exchangeable partition probabilities and so need no names for answers nobody gave.
"""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from estimator.arrays.sorting import blocks, distinct
from estimator.arrays.vote_table import Ballot

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_COUNTS: Final[Floats] = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 300, 1000], dtype=np.float64)
_THETAS: Final[Floats] = np.exp2(np.arange(-2.0, 8.0))
# A hundredth of a query for each member of a family keeps every member possible.
_PSEUDO_QUERIES: Final = 0.01
_STEPS: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Shares of the members of both families; they sum to 1."""

    uniform: Floats
    ewens: Floats

    @classmethod
    def flat(cls) -> Self:
        """Before any vote: half to each family."""
        return cls(np.full(_COUNTS.size, 0.5 / _COUNTS.size), np.full(_THETAS.size, 0.5 / _THETAS.size))

    @classmethod
    def of_labels(cls, wrong: int) -> Self:
        """Queries that are known to share `wrong` + 1 labels, all of them plausible."""
        nearest = int(np.argmin(np.abs(np.log(_COUNTS / max(wrong, 1)))))
        return cls(np.eye(_COUNTS.size)[nearest], np.zeros(_THETAS.size))

    @property
    def plausible(self) -> float:
        """The number of plausible wrong answers: 1 / P(two wrong votes on a query agree)."""
        return float(1 / (self.uniform @ (1 / _COUNTS) + self.ewens @ (1 / (1 + _THETAS))))


@dataclass(frozen=True, slots=True, eq=False)
class WrongAnswers:
    """The partition of wrong votes for each of C classes, were it right, and for K queries, were nobody right.

    R = C + K rows, first the classes. What the families make of a row hangs, but for `spread`, on how many votes are
    wrong and in how many classes they are: `shape` (R,) numbers these pairs.
    """

    shape: NDArray[np.int32]
    spread: Floats
    """(R,) sum of log (size - 1)! over the wrong classes."""
    uniform: Floats
    """(U, members) log probability for every pair."""
    ewens: Floats
    """(U, members) the same, without `spread`."""

    @classmethod
    def of(cls, ballot: Ballot) -> Self:
        """Lay out the partitions of a ballot."""
        supporters = np.diff(ballot.class_start)
        logs = _log_factorials(supporters)
        total = np.add.reduceat(logs, ballot.first) if logs.size else logs
        voters, classes = ballot.voters(), np.diff(ballot.first, append=ballot.class_count)
        width = int(voters.max(initial=0)) + 1
        # A class that is right leaves one class fewer, and as many votes fewer as it has supporters.
        whole = classes * width + voters
        pair = np.concatenate([np.repeat(whole - width, classes) - supporters, whole])
        pairs, shape = distinct(pair, (int(classes.max(initial=0)) + 1) * width)
        uniform, ewens = _log_probabilities(*np.divmod(pairs, width))
        return cls(shape.astype(np.int32), np.concatenate([np.repeat(total, classes) - logs, total]), uniform, ewens)

    def given(self, mixture: Mixture) -> "Partitions":
        """The log probability of every row under a mixture."""
        with np.errstate(divide="ignore"):
            uniform = logsumexp(self.uniform + np.log(mixture.uniform), axis=1)
            ewens = logsumexp(self.ewens + np.log(mixture.ewens), axis=1)
        row = np.empty(self.spread.size)
        for block in blocks(row.size):
            shape = self.shape[block]
            np.logaddexp(uniform[shape], ewens[shape] + self.spread[block], out=row[block])
        return Partitions(mixture, uniform, ewens, row)

    def fitted(self, now: "Partitions", probability: Floats) -> Mixture:
        """One step of expectation and maximisation for the shares, given the probability (R,) of every row."""
        evenly, unevenly = np.zeros(now.uniform.size), np.zeros(now.uniform.size)
        for block in blocks(probability.size):
            shape, share = self.shape[block], probability[block]
            even = share * np.exp(now.uniform[shape] - now.row[block])
            evenly += np.bincount(shape, weights=even, minlength=evenly.size)
            unevenly += np.bincount(shape, weights=share - even, minlength=evenly.size)
        uniform = _shares(self.uniform, now.mixture.uniform, now.uniform, evenly)
        ewens = _shares(self.ewens, now.mixture.ewens, now.ewens, unevenly)
        total = uniform.sum() + ewens.sum()
        return replace(now.mixture, uniform=uniform / total, ewens=ewens / total)


@dataclass(frozen=True, slots=True, eq=False)
class Partitions:
    """Log probabilities under one mixture: of both families by pair (U,), and of every row (R,)."""

    mixture: Mixture
    uniform: Floats
    ewens: Floats
    row: Floats


def _log_factorials(size: NDArray[np.int32]) -> Floats:
    """log (size - 1)!, elementwise."""
    logs: Floats = gammaln(np.arange(int(size.max(initial=0)) + 1, dtype=np.float64))[size]
    return logs


def _log_probabilities(classes: Integers, wrong: Integers) -> tuple[Floats, Floats]:
    """`K! / (K - d)! / K^r` and `theta^d Gamma(theta) / Gamma(theta + r)` for r wrong votes in d classes."""
    d, r = classes[:, None].astype(np.float64), wrong[:, None].astype(np.float64)
    room = np.maximum(_COUNTS - d, 0.0)
    uniform = np.where(d <= _COUNTS, gammaln(_COUNTS + 1) - gammaln(room + 1) - r * np.log(_COUNTS), -np.inf)
    ewens = d * np.log(_THETAS) + gammaln(_THETAS) - gammaln(_THETAS + r)
    return uniform, ewens


def _shares(members: Floats, share: Floats, total: Floats, weight: Floats) -> Floats:
    """Expected queries of every member of a family, given those (U,) of the family by pair."""
    possible = np.isfinite(total) & (weight > 0)
    likelihood = np.exp(members[possible] - members[possible].max(axis=1, keepdims=True, initial=-np.inf))
    count = weight[possible]
    expected = share
    for _ in range(_STEPS):  # pairs are few, votes are many: within a family several steps cost as much as one
        each = likelihood * expected
        expected = (count / each.sum(axis=1)) @ each + _PSEUDO_QUERIES
    return expected
