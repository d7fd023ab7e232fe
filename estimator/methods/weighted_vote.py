"""Shared by the methods that count votes: the rounds on one vote table, and the final vote."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from estimator.arrays.types import Floats
from estimator.arrays.vote_table import Decision, VoteTable
from estimator.methods.answers import SourceFit, by_weight
from estimator.methods.gold_start import start_reliability
from estimator.methods.member import Options
from estimator.methods.voting_rounds import FixedPoint, VotingRounds, label_count
from estimator.policies import TiePolicy
from estimator.prior import fit_prior
from estimator.result import Estimate
from estimator.votes import VoteMatrix


@dataclass(slots=True)
class Counter:
    """Counts votes under one set of weights (N,) after another; several figures by the same weights take one count."""

    table: VoteTable
    ties: TiePolicy
    _last: tuple[Floats, Decision] | None = None

    def decide(self, weight: Floats) -> Decision:
        if self._last is None or not np.array_equal(weight, self._last[0]):
            self._last = weight, self.table.decide(weight, self.ties)
        return self._last[1]

    def agreement(self, weight: Floats) -> tuple[Floats, Floats]:
        """Votes for the winners by these weights, and votes on queries that have a winner; both (N,)."""
        return self.table.agreement(self.decide(weight).winner)

    def losing_pairs(self, weight: Floats) -> tuple[int, int]:
        """Ordered pairs of losing votes on the same query, and those of them for the same answer."""
        return self.table.losing_pairs(self.decide(weight).winner)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedVote:
    """The votes, counted by one set of weights after another, and the policies of the counting."""

    votes: VoteMatrix
    counter: Counter
    rounds: VotingRounds

    @classmethod
    def of(cls, votes: VoteMatrix, options: Options) -> Self:
        """Lay out the votes, and estimate L where the options say so."""
        counter = Counter(votes.table(options.gold), options.ties)
        labels = label_count(counter, votes.source_count, options, _start(counter))
        return cls(votes, counter, VotingRounds(votes.source_count, counter, labels, options))

    def weight(self, reliability: Floats) -> Floats:
        """(N,) `v_i = L * w_i - 1`, and 0 for an unknown reliability."""
        return self.rounds.weight(reliability)

    def majority(self) -> FixedPoint:
        """The reliabilities by the answers of the majority."""
        return self.rounds.majority()

    def iterated(self) -> FixedPoint:
        """The reliabilities at which answers and weights no longer change, from the majority or gold answers on."""
        return self.rounds.iterated(_start(self.counter))

    def estimate(self, method: str, end: FixedPoint, weight: Floats) -> Estimate:
        """The estimate whose answers are those of the vote under `weight` (N,); intervals take these for right."""
        fit = source_fit(method, end, weight, self.counter.agreement(weight), self.rounds.labels)
        return by_weight(self.votes, self.counter.table, fit, self.counter.decide(weight))


def source_fit(
    method: str, end: FixedPoint, weight: Floats, agreement: tuple[Floats, Floats], labels: int
) -> SourceFit:
    """The figures of sources by the methods that count votes, given the agreement under the final weights (N,)."""
    agreed, judged = agreement
    prior = fit_prior(agreed, judged)
    lower, upper = prior.posterior_interval(agreed, judged)
    return SourceFit(method, end.value, weight, lower, upper, prior, end.rounds, end.stop_reason, labels)


def _start(counter: Counter) -> Floats | None:
    return None if counter.table.gold_class is None else start_reliability(counter.table)
