"""The one-coin model: a source is right with its reliability, else it gives one of the plausible wrong answers.

Dawid & Skene 1979 (doi:10.2307/2346806) with one parameter a source, for open answer sets. The votes on a query, given
that class a is right, have the probability

    P(votes_j | a) = prod_(i for a) w_i  prod_(i for others) (1 - w_i)  P(partition of the wrong votes)

where the last factor says into how many answers wrong votes fall and how evenly (`wrong_answers`); that nobody gave the
right answer is one more case. Reliabilities have a Beta prior that is fitted to the corpus (`prior`). Fitted by
expectation maximisation; where the corpus is small, the posterior is then sampled (`one_coin_sampling`).

>>> import numpy as np
>>> from estimator import estimate
>>> from estimator.synthetic import Scenario, draw
>>> sample = draw(Scenario(source_count=9, query_count=200), np.random.default_rng(0))
>>> result = estimate(sample.votes, "bayes")
>>> bool(np.abs(result.reliability - sample.true_reliability).max() < 0.15)
True
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Generic, TypeVar

import numpy as np

from estimator.arrays.blocks import Block
from estimator.arrays.types import Floats
from estimator.arrays.vote_table import VoteTable
from estimator.intervals import beta_posterior
from estimator.methods import one_coin_sampling
from estimator.methods.answers import SourceFit, by_probability
from estimator.methods.gold_start import start_reliability
from estimator.methods.member import EstimationMethod, Options
from estimator.policies import StopReason
from estimator.prior import BetaPrior, beta_interval, fit_prior
from estimator.result import Estimate, Topics, WarmStart
from estimator.source_priors import SourcePriors
from estimator.topics.pooling import PooledPrior, fit_pooled_prior, over_topics, rate_by_topic
from estimator.topics.structure import find_topics, sample_rows
from estimator.votes import VoteMatrix
from estimator.weights import clip_reliability, log_odds, log_odds_weight
from estimator.wrong_answers import PartitionLikelihood, WrongAnswerMixture, WrongVotePartitions

# Probabilities of a fit that are this close differ only by where the iteration stopped.
_TOLERANCE: Final = 1e-5
# A reliability that moves by less than this share of the standard error of n votes stands still.
_STILL: Final = 0.01


Prior = TypeVar("Prior", BetaPrior, PooledPrior)


@dataclass(frozen=True, slots=True, eq=False)
class _Posterior:
    """What is right, given reliabilities."""

    right: Floats
    """(C,) probability of every class."""
    nobody: Floats
    """(K,) probability that nobody gave the right answer."""
    log_evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class _Fit(Generic[Prior]):
    """The end of an expectation maximisation."""

    state: WarmStart
    prior: Prior
    posterior: _Posterior
    rounds: int
    stop_reason: StopReason


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

    def best_fit(self, options: Options, start: WarmStart | None = None) -> _Fit[Prior]:
        """The fit to which priors of sources lead, or that to which the votes alone do, if it explains both better."""
        fit = self.fit(options, start)
        if not self.priors.total.any():
            return fit
        other = self.fit(options, start, from_priors=False)
        return max((fit, other), key=self._log_evidence)

    def _log_evidence(self, fit: _Fit[Prior]) -> float:
        return fit.posterior.log_evidence + float(self.priors.log_likelihood(fit.state.reliability))

    def fit(self, options: Options, start: WarmStart | None = None, *, from_priors: bool = True) -> _Fit[Prior]:
        """Alternate E-steps and M-steps until the reliabilities stand still.

        The prior and the mixture of wrong answers are fitted anew in rounds 1, 2, 4, 8 and so on, and whenever the
        reliabilities stand still.
        """
        votes = self.table.source_votes + self.priors.total
        still = np.maximum(options.tolerance, _STILL * 0.5 / np.sqrt(1 + votes))
        priors = self.priors if from_priors else None
        reliability = start_reliability(self.table, priors, start.reliability if start else None)
        likelihood = self.partitions.likelihood(start.mixture if start else WrongAnswerMixture.flat())
        prior, at_rest, rounds, reason = self.fit_prior(votes[:0], votes[:0]), False, 0, StopReason.ROUND_LIMIT
        for rounds in range(1, options.max_rounds + 1):
            posterior = self._e_step(reliability, likelihood)
            right = self.table.sum_by_source(posterior.right) + self.priors.right
            refit = at_rest or rounds & (rounds - 1) == 0
            if refit:
                prior = self.fit_prior(right, votes)
                likelihood = self.partitions.refit(likelihood, np.concatenate([posterior.right, posterior.nobody]))
            previous, reliability = reliability, self._m_step(right, prior)
            at_rest = bool((np.abs(reliability - previous) <= still).all())
            if at_rest and refit and rounds > 1:
                reason = StopReason.CONVERGED
                break
        state = WarmStart(reliability, likelihood.mixture, prior.mean)
        return _Fit(state, prior, self._e_step(reliability, likelihood), rounds, reason)

    def _e_step(self, reliability: Floats, likelihood: PartitionLikelihood) -> _Posterior:
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
        constant = float(table.source_votes @ np.log1p(-clip_reliability(reliability)))
        return _Posterior(right, nobody, constant + float(log_total.sum()))

    def _m_step(self, right: Floats, prior: Prior) -> Floats:
        """(N,) posterior means of the reliabilities, given the expected number (N,) of right votes."""
        return (prior.right + right) / (prior.strength + (self.table.source_votes + self.priors.total))


def estimate_one_coin(votes: VoteMatrix, options: Options) -> Estimate:
    """The best fit, or the sampled posterior where the corpus is small enough to be unsure between several fits; by
    topic where the votes speak for several.
    """
    table, random = votes.table(options.gold), options.random()
    topics = _find_topics(table, options)
    if topics is not None:
        return _estimate_by_topic(votes, table, topics, options)
    model = OneCoin.of(table, options.source_priors)
    if one_coin_sampling.is_small(table):  # a fit is cheap and then does not depend on earlier runs
        fit = model.best_fit(options)
        samples = one_coin_sampling.sample(table, fit.state, random, model.priors)
        state = WarmStart(samples.reliability, samples.mixture, samples.prior.mean)
        diagnostics = {"nobody_right": _mean(samples.nobody), "r_hat": samples.r_hat}
        fit = replace(fit, state=state, prior=samples.prior, stop_reason=StopReason.SAMPLED)
        sources = _source_fit(fit, samples.interval(random), diagnostics)
        return by_probability(votes, table, sources, samples.right, options.ties, np.maximum(samples.error, _TOLERANCE))
    fit = model.best_fit(options, options.previous)
    posterior = fit.posterior
    interval = beta_interval(
        *beta_posterior(table, posterior.right, fit.state.reliability, fit.prior, priors=model.priors)
    )
    sources = _source_fit(fit, interval, {"nobody_right": _mean(posterior.nobody)})
    return by_probability(votes, table, sources, posterior.right, options.ties, _TOLERANCE)


def _find_topics(table: VoteTable, options: Options) -> Topics | None:
    """The topics that the votes speak for, judged by a fit without topics to a sample of them."""
    if options.topics is None or options.topics.is_single or not table.source.size:
        return None
    rows = sample_rows(table)
    sample = table if rows.size == table.query.size else table.take_rows(rows)
    fit = OneCoin.of(sample, options.source_priors).fit(options, options.previous)
    return find_topics(sample, fit.posterior.right, options.topics)


def _estimate_by_topic(votes: VoteMatrix, table: VoteTable, topics: Topics, options: Options) -> Estimate:
    model, previous = OneCoin.by_topic(table, topics, options.source_priors), options.previous
    start = previous and replace(previous, reliability=np.tile(previous.reliability, topics.count))
    fit = model.fit(options, start)
    mixture, right = fit.state.mixture, fit.posterior.right
    by_topic = rate_by_topic(topics, table, right, mixture.plausible, model.priors)
    overall, lower, upper = over_topics(by_topic, fit.prior.sources)
    state = WarmStart(overall, mixture, fit.prior.mean)
    pooled = _Fit(state, fit.prior.sources, fit.posterior, fit.rounds, fit.stop_reason)
    diagnostics = {"nobody_right": _mean(fit.posterior.nobody), "topics": topics.count, "topic_gain": topics.gain}
    sources = _source_fit(pooled, (lower, upper), diagnostics)
    result = by_probability(votes, table, sources, right, options.ties, _TOLERANCE)
    return replace(result, topics=by_topic)


def _source_fit(fit: _Fit[BetaPrior], interval: tuple[Floats, Floats], diagnostics: dict[str, float]) -> SourceFit:
    plausible, log_evidence = fit.state.mixture.plausible, fit.posterior.log_evidence
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
        diagnostics={"plausible_wrong_answers": plausible, "log_evidence": log_evidence, **diagnostics},
        state=fit.state,
    )


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


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else 0.0


ONE_COIN = EstimationMethod(
    name="bayes",
    summary="one-coin model for open answers: Dawid-Skene with one parameter a source, and credible intervals",
    estimate=estimate_one_coin,
    parameters=frozenset(
        {"ties", "max_rounds", "tolerance", "previous", "seed", "time", "drift", "gold", "source_priors", "topics"}
    ),
    cost="O(V) a round; sampled up to 20,000 answer classes, in seconds",
    vote_weight=log_odds_weight,
)
