"""The one-coin model: a source is right with its reliability, else it gives one of the plausible wrong answers.

Dawid & Skene 1979 (doi:10.2307/2346806) with one parameter a source, for open answer sets. The votes on a query, given
that class a is right, have the probability

    P(votes_j | a) = prod_(i for a) w_i  prod_(i for others) (1 - w_i)  P(partition of the wrong votes)

where the last factor says into how many answers wrong votes fall and how evenly (`wrong_answers`); that nobody gave the
right answer is one more case. Reliabilities have a Beta prior that is fitted to the corpus (`prior`). Where votes may
be misread, each vote has a probability of its own in the place of w_i (`estimator.arrays.readings`). Fitted by
expectation maximisation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic

import numpy as np

from estimator.arrays.blocks import Block
from estimator.arrays.readings import chance_right, expected_statements
from estimator.arrays.types import Floats
from estimator.arrays.vote_table import VoteTable
from estimator.methods.alternation import Prior, alternate
from estimator.methods.answers import SourceFit
from estimator.methods.gold_start import start_reliability
from estimator.methods.member import Options
from estimator.policies import StopReason
from estimator.prior import BetaPrior, fit_prior
from estimator.result import Topics, WarmStart
from estimator.source_priors import SourcePriors
from estimator.topics.pooling import PooledPrior, fit_pooled_prior
from estimator.weights import clip_reliability, log_odds
from estimator.wrong_answers import COUNTS, PartitionLikelihood, WrongAnswerMixture, WrongVotePartitions

# Probabilities of a fit that are this close differ only by where the iteration stopped.
PROBABILITY_TOLERANCE: Final = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The posterior of the answers, given reliabilities."""

    right: Floats
    """(C,) probability of every class."""
    none_correct: Floats
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
    ) -> Fit[Prior]:
        """The end of the alternation from the last state, or from the priors of sources, or from neither."""
        table, priors = self.table, self.priors

        def expect(
            reliability: Floats, likelihood: PartitionLikelihood, *, refit: bool
        ) -> tuple[Floats, Floats, PartitionLikelihood]:
            posterior, luck = self.e_step(reliability, likelihood), likelihood.mixture.luck
            right, stated = expected_statements(table, posterior.right, reliability, luck)
            if refit:
                probability = np.concatenate([posterior.right, posterior.none_correct])
                likelihood = self.partitions.refit(likelihood, probability)
            return right + priors.right, stated + priors.total, likelihood

        reliability = start_reliability(table, priors if from_priors else None, start.reliability if start else None)
        likelihood = self.partitions.likelihood(start.mixture if start else WrongAnswerMixture.flat())
        votes = table.source_votes + priors.total
        end = alternate(expect, self.fit_prior, votes, (reliability, likelihood), options=options)
        posterior = self.e_step(end.reliability, end.likelihood)
        log_evidence = posterior.log_total + self.log_evidence_of_wrong_votes(end.reliability, end.likelihood)
        state = WarmStart(end.reliability, end.likelihood.mixture, end.prior.mean)
        return Fit(state, end.prior, posterior, end.rounds, end.stop_reason, log_evidence)

    def e_step(self, reliability: Floats, likelihood: PartitionLikelihood) -> Posterior:
        """The posterior of the answers, given the reliabilities (N,)."""
        table, support = self.table, self._support(reliability, likelihood)
        row = table.given_gold(likelihood.row)
        right, none_correct = np.empty(table.class_count), row[table.class_count :].copy()
        log_total = np.empty(none_correct.size)
        for block in table.blocks:
            part = right[block.classes]
            part[:] = support(block)
            part += row[block.classes]
            log_total[block.rows] = normalise(part, none_correct[block.rows], block)
        return Posterior(right, none_correct, float(log_total.sum()))

    def _support(self, reliability: Floats, likelihood: PartitionLikelihood) -> Callable[[Block], Floats]:
        """The summed log odds, by block, that the votes for its classes are right."""
        table = self.table
        if table.read is None:
            odds = log_odds(reliability)
            return lambda block: block.incidence @ odds
        chance = chance_right(table.read, reliability[table.source], likelihood.mixture.luck)
        total = np.add.reduceat(log_odds(chance), table.class_start[:-1]) if chance.size else chance
        return lambda block: total[block.classes]

    def log_evidence_of_wrong_votes(self, reliability: Floats, likelihood: PartitionLikelihood) -> float:
        """The part of the log evidence that does not depend on which answers are right."""
        table = self.table
        if table.read is None:
            return log_evidence_of_votes(table.source_votes, reliability)
        chance = chance_right(table.read, reliability[table.source], likelihood.mixture.luck)
        return float(np.log1p(-clip_reliability(chance)).sum())

    def gain_over_chance(self, fit: Fit[Prior]) -> float:
        """The nats by which the fit, or one with the same reliability for all sources, explains the votes, gold answers
        and priors better than answers at random, with as many equally likely ones as fit best, two or more.
        Reliabilities are penalised as in the Bayesian information criterion (Schwarz 1978, doi:10.1214/aos/1176344136).
        """
        votes, partitions = self.table.source_votes, self.partitions
        count = np.bincount(partitions.shape[self.table.class_count :], minlength=len(partitions.uniform))
        at_random = count[count > 0] @ partitions.uniform[count > 0, 1:] + self._of_known_at_random(COUNTS[1:])
        likelihood = partitions.likelihood(fit.state.mixture)
        common = np.full(votes.size, fit.state.reliability @ votes / max(votes.sum(), 1))
        of_common = self.e_step(common, likelihood).log_total + self.log_evidence_of_wrong_votes(common, likelihood)
        of_common += float(self.priors.log_likelihood(common))
        penalised = of_common - np.log1p(votes.sum()) / 2, self._log_evidence(fit) - np.log1p(votes).sum() / 2
        return float(max(penalised) - at_random.max()) if votes.sum() else 0.0

    def _of_known_at_random(self, answers: Floats) -> Floats:
        """Log probability of the gold answers and the priors, if each of so many answers, for each entry of the array,
        is right as probably as the others, whoever gives it.
        """
        known = np.asarray(self.priors.log_likelihood(np.tile(1 / answers, (self.priors.total.size, 1))))
        gold_class, classes = self.table.gold_class, np.diff(self.table.first_class, append=self.table.class_count)
        if gold_class is None:
            return known
        others = np.maximum(answers - classes[gold_class == -1, None], 0) / answers
        with np.errstate(divide="ignore"):
            known += np.log(others).sum(axis=0)
        return known - np.count_nonzero(gold_class >= 0) * np.log(answers)


def source_fit(fit: Fit[BetaPrior], interval: tuple[Floats, Floats], diagnostics: dict[str, float]) -> SourceFit:
    plausible = fit.state.mixture.plausible
    return SourceFit(
        method="one_coin",
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


def normalise(right: Floats, none_correct: Floats, block: Block) -> Floats:
    """Turn log probabilities of the classes and of nobody being right into probabilities, in place; returns the logs
    (k,) of their sums. A softmax over segments of different lengths, which SciPy does not have.
    """
    first, size = block.segments.first, block.segments.size
    top = np.maximum(np.maximum.reduceat(right, first), none_correct)
    right -= np.repeat(top, size)
    np.exp(right, out=right)
    none_correct -= top
    np.exp(none_correct, out=none_correct)
    total = np.add.reduceat(right, first) + none_correct
    right /= np.repeat(total, size)
    none_correct /= total
    log_total: Floats = np.log(total) + top
    return log_total
