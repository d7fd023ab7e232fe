"""Class-conditional reliabilities, for queries that share a small set of labels: what a source says for each truth.

Dawid & Skene 1979, made to last with few votes. Row t of a source is Dirichlet around what the one-coin model would
say: right with its reliability, else as the corpus errs where t is true. How closely sources keep to that is fitted.
Queries of one truth may come in kinds (hard ones, misleading ones) that sources meet alike, so that errors may be
correlated (Li, Rubinstein & Cohn 2019); with one kind this is the smoothed Dawid-Skene model. Variational Bayes.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import digamma, gammaln

from estimator import prior
from estimator.arrays.vote_table import Ballot
from estimator.errors import EstimatorError
from estimator.fixed_point import Limits
from estimator.policies import StopReason
from estimator.prior import BetaPrior
from estimator.votes import VoteMatrix

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_LABELS: Final = 64
_CLOSENESS: Final[Floats] = np.geomspace(0.5, 1000.0, 24)
ONE_COIN: Final = 1e5
"""The closeness at which the model is the one-coin model with named labels."""
_STILL: Final = 1e-4
_KIND_PSEUDO_QUERIES: Final = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Kinds of queries per label, where they start from, and how close rows are to one coin, if not fitted."""

    kinds: int = 1
    seed: int = 0
    closeness: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionFit:
    """The end of a fit of T labels and G kinds."""

    share: Floats
    """(K, T) probability of every label for every query."""
    right: Floats
    """(C,) the same for the classes voted for."""
    reliability: Floats
    prior: BetaPrior
    closeness: float
    evidence: float
    """Lower bound of the log evidence; the reliabilities are charged as in the Bayesian information criterion."""
    rounds: int
    stop_reason: StopReason


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The Dirichlet distributions of all rows, (N, T, G, T): what is seen, and what was expected."""

    counts: Floats
    base: Floats
    closeness: float
    evidence: float

    def expected_log(self) -> Floats:
        total = self.counts + self.closeness * self.base
        logs: Floats = digamma(total) - digamma(total.sum(axis=3, keepdims=True))
        return logs


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One round: shares before and after it, and what it took them to mean."""

    before: Floats
    state: Floats
    rows: _Rows
    prior: BetaPrior
    reliability: Floats
    moved: float


@dataclass(frozen=True, slots=True, eq=False)
class SharedLabels:
    """Votes whose answer ids mean the same in every query: T labels."""

    ballot: Ballot
    labels: Integers
    """(T,) answer ids."""
    label: Integers
    """(C,) place of every class in `labels`."""
    parts: tuple[tuple[sparse.csr_array, Integers], ...]
    """For every label, the votes (C_t, N) for it and their queries (C_t,)."""

    @classmethod
    def of(cls, votes: VoteMatrix, ballot: Ballot) -> Self:
        """Lay out. Raises EstimatorError where there are too many labels for all queries to share."""
        labels, label = np.unique(votes.class_answer, return_inverse=True)
        if labels.size > MOST_LABELS:
            message = (
                f"{labels.size} different answer ids; a confusion model needs queries that share at most "
                f"{MOST_LABELS} labels, use Method.BAYES for open answers"
            )
            raise EstimatorError(message)
        rows = [np.flatnonzero(label == place) for place in range(labels.size)]
        parts = tuple((ballot.incidence[chosen], ballot.row[chosen]) for chosen in rows)
        return cls(ballot, labels, label, parts)

    @property
    def votes_per_cell(self) -> float:
        """How many votes the average source has for each of its T x T chances."""
        voting = max(int((self.ballot.turnout > 0).sum()), 1)
        return float(self.ballot.turnout.sum()) / voting / max(self.labels.size, 2) ** 2

    def fit(self, limits: Limits, design: Design) -> ConfusionFit:
        """Variational Bayes from the shares of the votes; prior and closeness are fitted in rounds 1, 2, 4, 8 ..."""
        still = max(limits.tolerance, _STILL)
        step = self._step(self._start(design), None, design.closeness)
        for rounds in range(2, limits.max_rounds + 1):
            refit = step.moved <= still or rounds & (rounds - 1) == 0
            step = self._step(step.state, None if refit else step, design.closeness, step.reliability)
            if step.moved <= still and refit:
                return self._end(step, rounds, StopReason.CONVERGED)
        return self._end(step, limits.max_rounds, StopReason.ROUND_LIMIT)

    def _step(
        self, state: Floats, keep: "_Step | None", closeness: float | None, last: Floats | None = None
    ) -> "_Step":
        """Rows given shares, then shares given rows; with the prior and the closeness of `keep`, or fitted anew."""
        counts = self._counts(state)
        correct = np.einsum("itgt->i", counts)
        belief = keep.prior if keep else prior.fit(correct, self.ballot.turnout)
        reliability = (belief.right + correct) / (belief.strength + self.ballot.turnout)
        fixed = keep.rows.closeness if keep else closeness
        rows = _closest(counts, _base(counts, reliability), _CLOSENESS if fixed is None else np.array([fixed]))
        moved = np.inf if last is None else float(np.abs(reliability - last).max(initial=0.0))
        return _Step(state, self._share(state, rows), rows, belief, reliability, moved)

    def _end(self, step: "_Step", rounds: int, reason: StopReason) -> ConfusionFit:
        share = step.state.sum(axis=2)
        evidence = step.rows.evidence + _surprise(step.before) - 0.5 * np.log1p(self.ballot.turnout).sum()
        return ConfusionFit(
            share=share,
            right=share[self.ballot.row, self.label],
            reliability=step.reliability,
            prior=step.prior,
            closeness=step.rows.closeness,
            evidence=float(evidence),
            rounds=rounds,
            stop_reason=reason,
        )

    def _start(self, design: Design) -> Floats:
        """(K, T, G) shares of the votes of every query, spread over kinds at random."""
        count, labels = self.ballot.query.size, self.labels.size
        share = np.zeros((count, labels))
        share[self.ballot.row, self.label] = self.ballot.supporters
        share /= share.sum(axis=1, keepdims=True)
        if design.kinds == 1:
            return share[:, :, None]
        kinds = np.random.default_rng(design.seed).dirichlet(np.ones(design.kinds), size=(count, labels))
        return share[:, :, None] * kinds

    def _counts(self, state: Floats) -> Floats:
        """(N, T, G, T) expected votes of every source by truth, kind and what it said."""
        flat = state.reshape(state.shape[0], -1)
        said = [votes.T @ flat[queries] for votes, queries in self.parts]
        return np.stack(said, axis=2).reshape(-1, *state.shape[1:], self.labels.size)

    def _share(self, state: Floats, rows: _Rows) -> Floats:
        """(K, T, G) probabilities of truth and kind of every query."""
        logs = rows.expected_log()
        shape = state.shape
        score = np.tile(_label_scores(state).ravel(), (shape[0], 1))
        for said, (votes, queries) in enumerate(self.parts):
            score[queries] += votes @ logs[:, :, :, said].reshape(logs.shape[0], -1)
        score -= score.max(axis=1, keepdims=True)
        np.exp(score, out=score)
        score /= score.sum(axis=1, keepdims=True)
        return score.reshape(shape)


def _base(counts: Floats, reliability: Floats) -> Floats:
    """(N, T, 1, T) rows of the one-coin model: right with the reliability, else as the corpus errs."""
    errors = counts.sum(axis=(0, 2))
    count = errors.shape[0]
    off = ~np.eye(count, dtype=np.bool_)
    errors = np.where(off, errors + 1 / max(count - 1, 1), 0.0)
    errors /= np.maximum(errors.sum(axis=1, keepdims=True), 1e-300)
    inside = np.clip(reliability, 1e-6, 1 - 1e-6)[:, None, None]
    rows: Floats = np.where(off, (1 - inside) * errors, inside)
    return rows[:, :, None, :]


def _closest(counts: Floats, base: Floats, candidates: Floats) -> _Rows:
    """The closeness under which the counts are most likely (Dirichlet-multinomial)."""
    if counts.shape[1] == 1:  # of one label there is nothing to confuse
        return _Rows(counts, np.ones_like(base), 1.0, 0.0)
    totals = counts.sum(axis=3)
    heights = [_log_likelihood(counts, totals, base, float(closeness)) for closeness in candidates]
    best = int(np.argmax(heights))
    return _Rows(counts, base, float(candidates[best]), heights[best])


def _log_likelihood(counts: Floats, totals: Floats, base: Floats, closeness: float) -> float:
    expected = closeness * base
    seen = gammaln(expected + counts).sum() - counts.shape[2] * gammaln(expected).sum()
    return float(seen + (gammaln(closeness) - gammaln(closeness + totals)).sum())


def _label_scores(state: Floats) -> Floats:
    """(T, G) expected log frequency of every label and kind."""
    labels = state.sum(axis=(0, 2)) + 1
    kinds = state.sum(axis=0) + _KIND_PSEUDO_QUERIES
    of_kind = digamma(kinds) - digamma(kinds.sum(axis=1, keepdims=True)) if state.shape[2] > 1 else np.zeros_like(kinds)
    scores: Floats = (digamma(labels) - digamma(labels.sum()))[:, None] + of_kind
    return scores


def _surprise(state: Floats) -> float:
    """Entropy of the queries' truths and kinds plus the log evidence of how often each occurs."""
    entropy = -(state * np.log(np.maximum(state, 1e-300))).sum()
    labels = state.sum(axis=(0, 2)) + 1
    total = entropy + gammaln(labels).sum() - gammaln(labels.sum()) + gammaln(labels.size)
    count = state.shape[2]
    if count > 1:
        kinds = state.sum(axis=0) + _KIND_PSEUDO_QUERIES
        before = count * gammaln(_KIND_PSEUDO_QUERIES) - gammaln(count * _KIND_PSEUDO_QUERIES)
        total += (gammaln(kinds).sum(axis=1) - gammaln(kinds.sum(axis=1)) - before).sum()
    return float(total)
