"""The methods in rounds: weights and reliabilities go out to the workers, sums over votes come back."""

from dataclasses import dataclass, field, replace

import numpy as np

from estimator.arrays.readings import VoteSums
from estimator.arrays.types import Floats, Integers
from estimator.distributed.summary import VoteTotals
from estimator.distributed.tasks import (
    LOG_BITS,
    Agreement,
    AnswerRule,
    Expectation,
    ExpectedSums,
    MostProbable,
    probability_bits,
)
from estimator.distributed.workers import Driver
from estimator.errors import EstimatorError
from estimator.intervals import beta_from_information, expected_information, variance_inflation
from estimator.methods.alternation import alternate
from estimator.methods.answers import SourceFit
from estimator.methods.member import Options
from estimator.methods.one_coin_model import Fit, OneCoin, Posterior, log_evidence_of_votes, source_fit
from estimator.methods.voting_rounds import VotingRounds, label_count
from estimator.methods.weighted_vote import source_fit as fit_of_vote
from estimator.prior import BetaPrior, beta_interval, fit_prior
from estimator.result import START_RELIABILITY, WarmStart
from estimator.source_priors import SourcePriors
from estimator.weights import log_odds
from estimator.wrong_answers import PartitionLikelihood, WrongAnswerMixture, WrongVotePartitions


@dataclass(slots=True, eq=False)
class DriverCounter:
    """Counts votes under one set of weights after another; the last count is kept."""

    driver: Driver
    totals: VoteTotals
    options: Options
    _last: tuple[Floats, tuple[Floats, Floats]] | None = field(default=None, init=False)

    def agreement(self, weight: Floats) -> tuple[Floats, Floats]:
        """Votes of every source for the winners, and its votes on queries that have a winner; both (N,)."""
        if self._last is None or not np.array_equal(self._last[0], weight):
            sums = self.driver.total(Agreement(weight, self.options.ties))
            judged = self.totals.source_votes - sums.unjudged
            self._last = weight.copy(), (sums.agreed.astype(np.float64), judged.astype(np.float64))
        return self._last[1]

    def losing_pairs(self, weight: Floats) -> tuple[int, int]:
        """Ordered pairs of losing votes on the same query, and those of them for the same answer."""
        pairs, agreeing = self.driver.total(Agreement(weight, self.options.ties, count_losing=True)).losing.tolist()
        return pairs, agreeing


def majority(driver: Driver, totals: VoteTotals, options: Options) -> SourceFit:
    """One vote in which every source weighs 1; the same bits as `methods.majority`."""
    rounds = _voting_rounds(driver, totals, options)
    ones = np.ones(rounds.source_count)
    return fit_of_vote("majority", rounds.majority(), ones, rounds.counter.agreement(ones), rounds.labels)


def iwmv(driver: Driver, totals: VoteTotals, options: Options) -> SourceFit:
    """Iterative weighted majority vote; the same bits as `methods.iwmv`."""
    rounds = _voting_rounds(driver, totals, options)
    end = rounds.iterated()
    weight = rounds.weight(end.value)
    return fit_of_vote("iwmv", end, weight, rounds.counter.agreement(weight), rounds.labels)


def _voting_rounds(driver: Driver, totals: VoteTotals, options: Options) -> VotingRounds:
    counter, sources = DriverCounter(driver, totals, options), totals.source_votes.size
    return VotingRounds(sources, counter, label_count(counter, sources, options), options)


def one_coin(driver: Driver, totals: VoteTotals, options: Options) -> SourceFit:
    """The best fit of the one-coin model; as `methods.one_coin` without sampling, but for rounding."""
    model = _OneCoin(driver, totals)
    start = np.full(model.votes.size, START_RELIABILITY), model.partitions.likelihood(WrongAnswerMixture.flat())
    end = alternate(model.expect, fit_prior, model.votes, start, options=options)
    sums = driver.total(model.e_step(end.reliability, end.likelihood, is_last=True))
    empty = np.empty(0)
    posterior = Posterior(empty, empty, float(sums.log_total) * 2.0**-LOG_BITS)
    state = WarmStart(end.reliability, end.likelihood.mixture, end.prior.mean)
    log_evidence = posterior.log_total + log_evidence_of_votes(model.votes, end.reliability)
    fit = Fit(state, end.prior, posterior, end.rounds, end.stop_reason, log_evidence)
    observed = np.maximum(model.sums(sums).observed_information(end.reliability), 0.0)  # below 0 only by rounding
    expected = expected_information(end.reliability, end.prior, SourcePriors.none(model.votes.size))
    of_sample, found = sample_posterior(totals, state)
    inflation = variance_inflation(of_sample.table, found.right, state.reliability, observed, expected)
    interval = beta_interval(*beta_from_information(end.reliability, (observed + expected) / inflation))
    wrong = of_sample.log_evidence_of_wrong_votes(state.reliability, of_sample.partitions.likelihood(state.mixture))
    in_sample = replace(fit, posterior=found, log_evidence=found.log_total + wrong)
    none_correct = float(sums.none_correct) * model.unit / max(totals.query_count, 1)
    return source_fit(
        fit, interval, {"none_correct": none_correct, "gain_over_chance": of_sample.gain_over_chance(in_sample)}
    )


def member_sums(driver: Driver, grouped: VoteTotals, fit: SourceFit, source_votes: Integers) -> VoteSums:
    """Sums over the votes of the members of copy groups (N,), by the answers of the fit to the groups."""
    if fit.state is None:
        raise EstimatorError(f"{fit.method} has no answers of groups to judge their members by")
    model = _OneCoin(driver, grouped)
    sums = driver.member_total(model.e_step_of(fit.state), source_votes.size)
    return VoteSums(source_votes.astype(np.float64), sums.right * model.unit, sums.squares * model.unit)


def answer_rule(driver: Driver, totals: VoteTotals, fit: SourceFit, options: Options) -> AnswerRule:
    """The rule that chooses the answers to queries after a fit to the sources of the summary."""
    if fit.state is None:
        return Agreement(fit.weight, options.ties)
    return MostProbable(_OneCoin(driver, totals).e_step_of(fit.state), options.ties)


class _OneCoin:
    """E-steps by workers."""

    def __init__(self, driver: Driver, totals: VoteTotals) -> None:
        patterns = totals.numbering.patterns
        self.driver, self.votes = driver, totals.source_votes.astype(np.float64)
        self.partitions = WrongVotePartitions.of_rows(patterns.classes, patterns.wrong, patterns.spread)
        self.bits = probability_bits(totals.query_count)
        self.unit = np.float64(2.0**-self.bits)

    def e_step(
        self, reliability: Floats, likelihood: PartitionLikelihood, *, refit: bool = False, is_last: bool = False
    ) -> Expectation:
        return Expectation(log_odds(reliability), likelihood.row, self.bits, count_patterns=refit, is_last=is_last)

    def e_step_of(self, state: WarmStart) -> Expectation:
        """The E-step in which a fit ended."""
        return self.e_step(state.reliability, self.partitions.likelihood(state.mixture), is_last=True)

    def expect(
        self, reliability: Floats, likelihood: PartitionLikelihood, *, refit: bool
    ) -> tuple[Floats, Floats, PartitionLikelihood]:
        sums = self.driver.total(self.e_step(reliability, likelihood, refit=refit))
        if refit:
            likelihood = self.partitions.refit(likelihood, sums.pattern * self.unit)
        return sums.right * self.unit, self.votes, likelihood

    def sums(self, sums: ExpectedSums) -> VoteSums:
        return VoteSums(self.votes, sums.right * self.unit, sums.squares * self.unit)


def sample_posterior(totals: VoteTotals, state: WarmStart) -> tuple[OneCoin[BetaPrior], Posterior]:
    """The model of the sample of queries, and what is right there by a fit to all of them."""
    model = OneCoin.of(totals.sample.table())
    return model, model.e_step(state.reliability, model.partitions.likelihood(state.mixture))
