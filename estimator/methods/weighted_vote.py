"""Shared by the methods that count votes: the rounds on one vote table, and the final vote."""

from dataclasses import dataclass
from typing import Self

from estimator.arrays.incremental_count import IncrementalCounter
from estimator.arrays.types import Floats
from estimator.methods.answers import SourceFit, by_weight
from estimator.methods.gold_start import start_reliability
from estimator.methods.member import Options
from estimator.methods.voting_rounds import FixedPoint, VotingRounds, label_count
from estimator.prior import fit_prior
from estimator.result import Estimate
from estimator.votes import VoteMatrix


@dataclass(frozen=True, slots=True, eq=False)
class WeightedVote:
    """The votes, counted by one set of weights after another, and the policies of the counting."""

    votes: VoteMatrix
    counter: IncrementalCounter
    rounds: VotingRounds

    @classmethod
    def of(cls, votes: VoteMatrix, options: Options) -> Self:
        """Lay out the votes, and estimate L where the options say so."""
        counter = IncrementalCounter(votes.table(options.gold), options.ties)
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


def _start(counter: IncrementalCounter) -> Floats | None:
    return None if counter.table.gold_class is None else start_reliability(counter.table)
