"""The one-coin model: a source is right with its reliability, else it gives one of the plausible wrong answers.

Dawid & Skene 1979 (doi:10.2307/2346806) with one parameter a source, for open answer sets. The votes on a query, given
that class a is right, have the probability

    P(votes_j | a) = prod_(i for a) w_i  prod_(i for others) (1 - w_i)  P(partition of the wrong votes)

where the last factor says into how many answers wrong votes fall and how evenly (`wrong_answers`); that nobody gave the
right answer is one more case. Reliabilities have a Beta prior that is fitted to the corpus (`prior`). Fitted by
expectation maximisation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar

import numpy as np

from estimator.arrays.blocks import Block
from estimator.arrays.types import Floats
from estimator.arrays.vote_table import VoteTable
from estimator.methods.answers import SourceFit
from estimator.methods.gold_start import start_reliability
from estimator.methods.member import Options
from estimator.policies import StopReason
from estimator.prior import BetaPrior, fit_prior
from estimator.result import Topics, WarmStart
from estimator.source_priors import SourcePriors
from estimator.topics.pooling import PooledPrior, fit_pooled_prior
from estimator.weights import clip_reliability, log_odds
from estimator.wrong_answers import PartitionLikelihood, WrongAnswerMixture, WrongVotePartitions

# Probabilities of a fit that are this close differ only by where the iteration stopped.
PROBABILITY_TOLERANCE: Final = 1e-5
# A reliability that moves by less than this share of the standard error of n votes stands still.
_STILL: Final = 0.01


Prior = TypeVar("Prior", BetaPrior, PooledPrior)


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """What is right, given reliabilities."""

    right: Floats
    """(C,) probability of every class."""
    nobody: Floats
    """(K,) probability that nobody gave the right answer."""
    log_total: float
    """The part of the log evidence that is a sum over queries."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit(Generic[Prior]):
    """The end of an expectation maximisation."""

    state: WarmStart
    prior: Prior
    posterior: Posterior
    rounds: int
    stop_reason: StopReason
    log_evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class OneCoin(Generic[Prior]):
    """Expectation maximisation for the votes of one table."""

    table: VoteTable
    partitions: WrongVotePartitions
    priors: SourcePriors
    fit_prior: Callable[[Floats, Floats], Prior]
    """The prior, given the right votes (N,) and all votes (N,) of the sources."""

    @staticmethod
    def of(table: VoteTable, priors: SourcePriors | None = None) -> "OneCoin[BetaPrior]":
        """The model of these votes."""
        priors = priors or SourcePriors.none(table.source_count)
        return OneCoin(table, WrongVotePartitions.of(table), priors, fit_prior)

    @staticmethod
    def by_topic(table: VoteTable, topics: Topics, priors: SourcePriors | None = None) -> "OneCoin[PooledPrior]":
        """The model in which each pair of source and topic is a source, with a prior around that of the source."""
        cells, priors = topics.cells(table), (priors or SourcePriors.none(table.source_count)).shared(topics.count)
        return OneCoin(
            cells, WrongVotePartitions.of(cells), priors, partial(fit_pooled_prior, topic_count=topics.count)
        )

    def best_fit(self, options: Options, start: WarmStart | None = None) -> Fit[Prior]:
        """The fit to which priors of sources lead, or that to which the votes alone do, if it explains both better."""
        fit = self.fit(options, start)
        if not self.priors.total.any():
            return fit
        other = self.fit(options, start, from_priors=False)
        return max((fit, other), key=self._log_evidence)

    def _log_evidence(self, fit: Fit[Prior]) -> float:
        return fit.log_evidence + float(self.priors.log_likelihood(fit.state.reliability))

    def fit(
        self,
        options: Options,
        start: WarmStart | None = None,
        *,
        from_priors: bool = True,
        keep_mixture: bool = False,
    ) -> Fit[Prior]:
        """Alternate E-steps and M-steps until the reliabilities stand still.

        The prior and the mixture of wrong answers are fitted anew in rounds 1, 2, 4, 8 and so on, and whenever the
        reliabilities stand still. With `keep_mixture`, for a start from which few votes differ, the mixture stays that
        of the start, and the prior is fitted in round 1 and whenever the reliabilities stand still.
        """
        votes = self.table.source_votes + self.priors.total
        still = np.maximum(options.tolerance, _STILL * 0.5 / np.sqrt(1 + votes))
        priors = self.priors if from_priors else None
        reliability = start_reliability(self.table, priors, start.reliability if start else None)
        likelihood = self.partitions.likelihood(start.mixture if start else WrongAnswerMixture.flat())
        prior, at_rest, rounds, reason = self.fit_prior(votes[:0], votes[:0]), False, 0, StopReason.ROUND_LIMIT
        for rounds in range(1, options.max_rounds + 1):
            posterior = self.e_step(reliability, likelihood)
            right = self.table.sum_by_source(posterior.right) + self.priors.right
            refit = at_rest or rounds == 1 or (not keep_mixture and rounds & (rounds - 1) == 0)
            if refit:
                prior = self.fit_prior(right, votes)
                probability = np.concatenate([posterior.right, posterior.nobody])
                likelihood = likelihood if keep_mixture else self.partitions.refit(likelihood, probability)
            previous, reliability = reliability, self._m_step(right, prior)
            at_rest = bool((np.abs(reliability - previous) <= still).all())
            if at_rest and refit and rounds > 1:
                reason = StopReason.CONVERGED
                break
        state = WarmStart(reliability, likelihood.mixture, prior.mean)
        posterior = self.e_step(reliability, likelihood)
        log_evidence = posterior.log_total + log_evidence_of_votes(self.table.source_votes, reliability)
        return Fit(state, prior, posterior, rounds, reason, log_evidence)

    def e_step(self, reliability: Floats, likelihood: PartitionLikelihood) -> Posterior:
        """What is right, given the reliabilities (N,)."""
        table, odds = self.table, log_odds(reliability)
        row = table.given_gold(likelihood.row)
        right, nobody = np.empty(table.class_count), row[table.class_count :].copy()
        log_total = np.empty(nobody.size)
        for block in table.blocks:
            part = right[block.classes]
            part[:] = block.incidence @ odds
            part += row[block.classes]
            log_total[block.rows] = _normalise(part, nobody[block.rows], block)
        return Posterior(right, nobody, float(log_total.sum()))

    def _m_step(self, right: Floats, prior: Prior) -> Floats:
        """(N,) posterior means of the reliabilities, given the expected number (N,) of right votes."""
        return (prior.right + right) / (prior.strength + (self.table.source_votes + self.priors.total))


def source_fit(fit: Fit[BetaPrior], interval: tuple[Floats, Floats], diagnostics: dict[str, float]) -> SourceFit:
    plausible = fit.state.mixture.plausible
    return SourceFit(
        method="bayes",
        reliability=fit.state.reliability,
        weight=log_odds(fit.state.reliability) + np.log(plausible),
        lower=interval[0],
        upper=interval[1],
        prior=fit.prior,
        rounds=fit.rounds,
        stop_reason=fit.stop_reason,
        labels=round(1 + plausible),
        diagnostics={"plausible_wrong_answers": plausible, "log_evidence": fit.log_evidence, **diagnostics},
        state=fit.state,
    )


def log_evidence_of_votes(source_votes: Floats, reliability: Floats) -> float:
    """The part of the log evidence that does not depend on which answers are right."""
    return float(source_votes @ np.log1p(-clip_reliability(reliability)))


def _normalise(right: Floats, nobody: Floats, block: Block) -> Floats:
    """Turn log probabilities of the classes and of nobody being right into probabilities, in place; returns the logs
    (k,) of their sums. A softmax over segments of different lengths, which SciPy does not have.
    """
    first, size = block.segments.first, block.segments.size
    top = np.maximum(np.maximum.reduceat(right, first), nobody)
    right -= np.repeat(top, size)
    np.exp(right, out=right)
    nobody -= top
    np.exp(nobody, out=nobody)
    total = np.add.reduceat(right, first) + nobody
    right /= np.repeat(total, size)
    nobody /= total
    log_total: Floats = np.log(total) + top
    return log_total
