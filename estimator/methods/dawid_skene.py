"""The confusion-matrix model: what a source says for each true label, for queries that share a small set of labels.

Dawid & Skene 1979 (doi:10.2307/2346806), regularised so that it holds with few votes. With T labels, source i answers s
where t is true with probability pi_i[t, s]. Its row t is Dirichlet around the row of the one-coin model (right with the
reliability, else as the corpus errs where t is true); the concentration is fitted:

    pi_i[t] ~ Dirichlet(concentration * base_i[t])

Queries of one truth may come in G kinds (hard ones, misleading ones) that sources meet alike, so that errors may be
correlated (Li, Rubinstein & Cohn, ICML 2019); with one kind this is the smoothed Dawid-Skene model. Fitted
by variational Bayes: `_m_step` rows given shares of the labels, `_e_step` shares given rows.
"""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from scipy import sparse
from scipy.special import digamma, gammaln, softmax, xlogy

from estimator.arrays.types import Floats, Integers
from estimator.arrays.vote_table import NO_GOLD, VoteTable
from estimator.errors import EstimatorError
from estimator.intervals import beta_posterior
from estimator.methods.answers import SourceFit, by_probability
from estimator.methods.confusion_rows import ConfusionRows, base_rows, likeliest_rows
from estimator.methods.gold_start import start_reliability
from estimator.methods.member import EstimationMethod, Options
from estimator.methods.one_coin import estimate_one_coin
from estimator.policies import StopReason
from estimator.prior import BetaPrior, beta_interval, fit_prior
from estimator.result import Estimate
from estimator.source_priors import SourcePriors
from estimator.votes import MOST_LABELS, VoteMatrix
from estimator.weights import clip_reliability, log_odds, log_odds_weight

ONE_COIN: Final = 1e5
"""The concentration at which the model is the one-coin model with named labels."""
# Probabilities of a fit that are this close differ only by where the iteration stopped.
_TIE_TOLERANCE: Final = 1e-4
_CONCENTRATIONS: Final[Floats] = np.geomspace(0.5, 1000.0, 24)
_TOLERANCE: Final = 1e-4
_KIND_PSEUDO_QUERIES: Final = 0.1
_KINDS: Final = (2, 4)
_SEEDS: Final = 2
# (K, T, G) numbers beyond which kinds are not tried: half a gigabyte.
_MOST_NUMBERS: Final = 2e7


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The kinds of queries per label, the seed they start from, and the concentration, if it is not fitted."""

    kinds: int = 1
    seed: int = 0
    concentration: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionFit:
    """The end of a fit of T labels."""

    right: Floats
    """(C,) probability of every class."""
    reliability: Floats
    """(N,)"""
    prior: BetaPrior
    labels: int
    """T."""
    concentration: float
    log_evidence: float
    """A lower bound; the reliabilities are penalised as in the Bayesian information criterion."""
    rounds: int
    stop_reason: StopReason


@dataclass(frozen=True, slots=True, eq=False)
class _Parameters:
    """The result of an M-step."""

    rows: ConfusionRows
    prior: BetaPrior
    reliability: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SharedLabels:
    """Votes whose answer ids mean the same in every query: T labels."""

    table: VoteTable
    priors: SourcePriors
    labels: Integers
    """(T,) answer ids."""
    label: Integers
    """(C,) index in `labels` of every class."""
    by_label: tuple[tuple[sparse.csr_array, Integers], ...]
    """The votes (C_t, N) for every label, and the rows (C_t,) of their queries."""

    @classmethod
    def of(cls, votes: VoteMatrix, options: Options) -> Self:
        """Lay out. Raises EstimatorError where there are too many labels for all queries to share."""
        table = replace(votes.table(options.gold), read=None)
        labels, label = np.unique(votes.class_answer, return_inverse=True)
        if labels.size > MOST_LABELS:
            message = (
                f"{labels.size} different answer ids; the method dawid_skene needs queries that share at most "
                f"{MOST_LABELS} labels, use the method one_coin for open answers"
            )
            raise EstimatorError(message)
        classes = [np.flatnonzero(label == index) for index in range(labels.size)]
        by_label = tuple((table.incidence[chosen], table.row[chosen]) for chosen in classes)
        priors = options.source_priors or SourcePriors.none(votes.source_count)
        return cls(table, priors, labels, label, by_label)

    def best_fit(self, options: Options) -> ConfusionFit:
        """The fit with the most evidence, with queries of one kind or of several."""
        numbers = self.table.query.size * self.labels.size
        several = [
            Design(kinds, seed) for kinds in _KINDS for seed in range(_SEEDS) if numbers * kinds <= _MOST_NUMBERS
        ]
        return max((self.fit(options, design) for design in (Design(), *several)), key=lambda fit: fit.log_evidence)

    def fit(self, options: Options, design: Design) -> ConfusionFit:
        """Alternate M-steps and E-steps until the reliabilities stand still, from the shares of the votes.

        The prior and the concentration are fitted anew in rounds 1, 2, 4, 8 and so on, and when the reliabilities stand
        still; they keep their last values in between.
        """
        still = max(options.tolerance, _TOLERANCE)
        share = self._start(design)
        now, before = self._m_step(share, design.concentration), share
        share, moved, rounds, reason = self._e_step(share, now.rows), np.inf, 1, StopReason.ROUND_LIMIT
        for rounds in range(2, options.max_rounds + 1):
            refit = moved <= still or rounds & (rounds - 1) == 0
            last = now
            now = (
                self._m_step(share, design.concentration)
                if refit
                else self._m_step(share, last.rows.concentration, last)
            )
            before, share = share, self._e_step(share, now.rows)
            moved = float(np.abs(now.reliability - last.reliability).max(initial=0.0))
            if moved <= still and refit:
                reason = StopReason.CONVERGED
                break
        log_evidence = now.rows.log_evidence + _label_evidence(before) - 0.5 * np.log1p(self.table.source_votes).sum()
        return ConfusionFit(
            right=share.sum(axis=2)[self.table.row, self.label],
            reliability=now.reliability,
            prior=now.prior,
            labels=self.labels.size,
            concentration=now.rows.concentration,
            log_evidence=float(log_evidence),
            rounds=rounds,
            stop_reason=reason,
        )

    def gain_over_chance(self, fit: ConfusionFit) -> float:
        """The nats by which the fit explains the votes, gold answers and priors better than labels that are drawn as
        often as they occur, by all sources or by each, whatever is right. Frequencies are penalised as reliabilities.
        """
        gold_class = self.table.gold_class
        gold = np.full(self.table.query.size, NO_GOLD) if gold_class is None else gold_class
        # The fit takes in no vote on a query of which nobody gave the gold answer.
        given = np.stack([np.asarray(votes[gold[rows] != -1].sum(axis=0)) for votes, rows in self.by_label])
        free = (self.labels.size - 1) / 2
        of_frequencies = [
            xlogy(count, count / np.maximum(total, 1)).sum() - free * np.log1p(total).sum()
            for count, total in ((each, each.sum(axis=0)) for each in (given, given.sum(axis=1, keepdims=True)))
        ]
        known = _frequency_evidence(np.bincount(self.label[gold[gold >= 0]], minlength=self.labels.size))
        known += float(self.priors.log_likelihood(np.full(given.shape[1], 1 / self.labels.size)))
        explained = fit.log_evidence + float(self.priors.log_likelihood(fit.reliability))
        return float(explained - max(of_frequencies) - known)

    def _start(self, design: Design) -> Floats:
        """(K, T, G) shares of the votes on every query, spread over kinds at random."""
        count, labels = self.table.query.size, self.labels.size
        share = np.zeros((count, labels))
        if self.table.gold_class is None and not self.priors.total.any():
            share[self.table.row, self.label] = self.table.supporters
        else:
            weight = log_odds(start_reliability(self.table, self.priors)) + np.log(max(labels - 1, 1))
            share[self.table.row, self.label] = self.table.scores(weight)
            share -= np.minimum(share.min(axis=1, keepdims=True), 0)
            share += 1e-9  # even shares where no vote weighs anything
        share /= share.sum(axis=1, keepdims=True)
        if design.kinds == 1:
            return self._given_gold(share[:, :, None])
        kinds = np.random.default_rng(design.seed).dirichlet(np.ones(design.kinds), size=(count, labels))
        return self._given_gold(share[:, :, None] * kinds)

    def _given_gold(self, share: Floats) -> Floats:
        """Shares (K, T, G) with all weight of a query on its gold label, or on none where nobody gave it."""
        gold_class = self.table.gold_class
        if gold_class is None:
            return share
        rows = np.flatnonzero(gold_class != NO_GOLD)
        given = np.flatnonzero(gold_class >= 0)
        of_label = share[given, self.label[gold_class[given]]]
        share[rows] = 0.0
        total = of_label.sum(axis=1, keepdims=True)
        even = np.full_like(of_label, 1 / share.shape[2])
        share[given, self.label[gold_class[given]]] = np.divide(of_label, total, out=even, where=total > 0)
        return share

    def _m_step(self, share: Floats, concentration: float | None, keep: _Parameters | None = None) -> _Parameters:
        """Rows given shares (K, T, G), with the prior of `keep` or a new one; `concentration` None is the likeliest."""
        counts = self._counts(share)
        correct = np.einsum("itgt->i", counts) + self.priors.right
        votes = self.table.source_votes + self.priors.total
        prior = keep.prior if keep else fit_prior(correct, votes)
        reliability = (prior.alpha + correct) / (prior.strength + votes)
        candidates = _CONCENTRATIONS if concentration is None else np.array([concentration])
        return _Parameters(likeliest_rows(counts, base_rows(counts, reliability), candidates), prior, reliability)

    def _counts(self, share: Floats) -> Floats:
        """(N, T, G, T) expected votes of every source by truth, kind and the label it gave."""
        flat = share.reshape(share.shape[0], -1)
        counts = [votes.T @ flat[rows] for votes, rows in self.by_label]
        return np.stack(counts, axis=2).reshape(-1, *share.shape[1:], self.labels.size)

    def _e_step(self, share: Floats, rows: ConfusionRows) -> Floats:
        """(K, T, G) probabilities of truth and kind of every query, given the rows and how frequent labels were."""
        logs = rows.expected_log()
        score = np.tile(_label_scores(share).ravel(), (share.shape[0], 1))
        for label, (votes, queries) in enumerate(self.by_label):
            score[queries] += votes @ logs[:, :, :, label].reshape(logs.shape[0], -1)
        probability: Floats = softmax(score, axis=1).reshape(share.shape)
        return self._given_gold(probability)


def estimate_confusion(votes: VoteMatrix, options: Options) -> Estimate:
    """The best fit of the confusion-matrix model. Raises EstimatorError for more than 64 labels."""
    if not votes.vote_count:
        return estimate_one_coin(votes, options)
    shared = SharedLabels.of(votes, options)
    return from_fit(votes, shared, shared.best_fit(options), options)


def from_fit(votes: VoteMatrix, shared: SharedLabels, fit: ConfusionFit, options: Options) -> Estimate:
    """The estimate of a fit. The reliability is the share of right votes over all labels; its interval is that of the
    one-coin model with the same evidence.
    """
    reliability = clip_reliability(fit.reliability)
    posterior = beta_posterior(shared.table, fit.right, reliability, fit.prior, priors=shared.priors)
    lower, upper = beta_interval(*posterior)
    sources = SourceFit(
        method="dawid_skene",
        reliability=fit.reliability,
        weight=log_odds(fit.reliability) + np.log(max(fit.labels - 1, 1)),
        lower=lower,
        upper=upper,
        prior=fit.prior,
        rounds=fit.rounds,
        stop_reason=fit.stop_reason,
        labels=fit.labels,
        diagnostics={
            "concentration": fit.concentration,
            "log_evidence": fit.log_evidence,
            "gain_over_chance": shared.gain_over_chance(fit),
        },
    )
    return by_probability(votes, shared.table, sources, fit.right, options.ties, _TIE_TOLERANCE)


def _label_scores(share: Floats) -> Floats:
    """(T, G) expected log frequency of every label and kind."""
    labels = share.sum(axis=(0, 2)) + 1
    kinds = share.sum(axis=0) + _KIND_PSEUDO_QUERIES
    of_kind = digamma(kinds) - digamma(kinds.sum(axis=1, keepdims=True)) if share.shape[2] > 1 else np.zeros_like(kinds)
    scores: Floats = (digamma(labels) - digamma(labels.sum()))[:, None] + of_kind
    return scores


def _frequency_evidence(count: Floats | Integers) -> float:
    """Log evidence of how often each label (T,) is right, under even odds for all frequencies."""
    return float(gammaln(count + 1).sum() - gammaln((count + 1).sum()) + gammaln(count.size))


def _label_evidence(share: Floats) -> float:
    """Entropy of the truths and kinds of all queries plus the log evidence of how often each occurs."""
    entropy = -(share * np.log(np.maximum(share, 1e-300))).sum()
    total = entropy + _frequency_evidence(share.sum(axis=(0, 2)))
    count = share.shape[2]
    if count > 1:
        kinds = share.sum(axis=0) + _KIND_PSEUDO_QUERIES
        prior = count * gammaln(_KIND_PSEUDO_QUERIES) - gammaln(count * _KIND_PSEUDO_QUERIES)
        total += (gammaln(kinds).sum(axis=1) - gammaln(kinds.sum(axis=1)) - prior).sum()
    return float(total)


DAWID_SKENE = EstimationMethod(
    name="dawid_skene",
    summary="Dawid-Skene model with confusion matrices, for queries that share a few labels",
    estimate=estimate_confusion,
    parameters=frozenset({"ties", "max_rounds", "tolerance", "time", "drift", "gold", "source_priors"}),
    cost="O(V T) per round for T labels, five fits",
    vote_weight=log_odds_weight,
)
