"""Estimates by the one-coin model: sampled if the corpus is small, by topic if the votes speak for several."""

from dataclasses import replace

import numpy as np

from estimator.arrays.readings import observed_information
from estimator.arrays.types import Floats
from estimator.arrays.vote_table import VoteTable
from estimator.intervals import beta_from_information, expected_information, variance_inflation
from estimator.methods import one_coin_sampling
from estimator.methods.answers import by_probability
from estimator.methods.member import EstimationMethod, Options
from estimator.methods.one_coin_model import PROBABILITY_TOLERANCE, Fit, OneCoin, source_fit
from estimator.policies import StopReason
from estimator.prior import BetaPrior, beta_interval
from estimator.result import Estimate, Topics, WarmStart
from estimator.topics.pooling import over_topics, rate_by_topic
from estimator.topics.structure import find_topics, sample_rows
from estimator.votes import VoteMatrix
from estimator.weights import log_odds_weight


def estimate_one_coin(votes: VoteMatrix, options: Options) -> Estimate:
    """The best fit, or the sampled posterior where the corpus is small enough to be unsure between several fits; by
    topic where the votes speak for several.
    """
    table = votes.table(options.gold)
    topics = _find_topics(table, options)
    if topics is not None:
        return _estimate_by_topic(votes, table, topics, options)
    model = OneCoin.of(table, options.source_priors)
    if one_coin_sampling.is_small(table):
        return _sampled(votes, model, options)
    fit = model.best_fit(options, options.previous)
    right, reliability = fit.posterior.right, fit.state.reliability
    luck = fit.state.mixture.luck
    observed = observed_information(table, right, reliability, luck)
    expected = expected_information(reliability, fit.prior, model.priors)
    inflation = variance_inflation(table, right, reliability, observed, expected, luck)
    interval = beta_interval(*beta_from_information(reliability, (observed + expected) / inflation))
    diagnostics = {"none_correct": _mean(fit.posterior.none_correct), "gain_over_chance": model.gain_over_chance(fit)}
    sources = source_fit(fit, interval, diagnostics)
    return by_probability(votes, table, sources, right, options.ties, PROBABILITY_TOLERANCE)


def _sampled(votes: VoteMatrix, model: OneCoin[BetaPrior], options: Options) -> Estimate:
    """The posterior of few votes, which does not depend on earlier runs, because a fit is cheap."""
    table, random, fit = model.table, options.random(), model.best_fit(options)
    samples = one_coin_sampling.sample(table, fit.state, random, model.priors, options.most_chains)
    state = WarmStart(samples.reliability, samples.mixture, samples.prior.mean)
    diagnostics = {
        "none_correct": _mean(samples.none_correct),
        "r_hat": samples.r_hat,
        "gain_over_chance": model.gain_over_chance(fit),
    }
    fit = replace(fit, state=state, prior=samples.prior, stop_reason=StopReason.SAMPLED)
    sources = source_fit(fit, samples.interval(random), diagnostics)
    tolerance = np.maximum(samples.error, PROBABILITY_TOLERANCE)
    return by_probability(votes, table, sources, samples.right, options.ties, tolerance)


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
    pooled = Fit(state, fit.prior.sources, fit.posterior, fit.rounds, fit.stop_reason, fit.log_evidence)
    diagnostics = {
        "none_correct": _mean(fit.posterior.none_correct),
        "gain_over_chance": model.gain_over_chance(fit),
        "topics": topics.count,
        "topic_gain": topics.gain,
    }
    sources = source_fit(pooled, (lower, upper), diagnostics)
    result = by_probability(votes, table, sources, right, options.ties, PROBABILITY_TOLERANCE)
    return replace(result, topics=by_topic)


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else 0.0


ONE_COIN_METHOD = EstimationMethod(
    name="one_coin",
    summary="one-coin Dawid-Skene model for open answers, with credible intervals",
    estimate=estimate_one_coin,
    parameters=frozenset(
        {"ties", "max_rounds", "tolerance", "previous", "seed", "time", "drift", "gold", "source_priors", "topics"}
    ),
    cost="O(V) a round; sampled up to 20,000 answer classes, in seconds",
    vote_weight=log_odds_weight,
)
