"""What the methods that count votes share: reliabilities from agreement, weights from reliabilities, the final vote."""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from estimator.arrays.incremental_count import IncrementalCounter
from estimator.arrays.types import Floats, Integers
from estimator.arrays.vote_table import VoteTable
from estimator.fixed_point import FixedPoint, iterate
from estimator.methods.answers import SourceFit, by_weight
from estimator.methods.gold_start import start_reliability
from estimator.methods.member import Options
from estimator.policies import LabelCount, NegativeWeights, SilentSources, StopReason
from estimator.prior import fit_prior
from estimator.result import Estimate
from estimator.votes import VoteMatrix

# An estimated L settles in two or three passes; it moves answers only where it moves by whole labels.
_LABEL_PASSES: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class WeightedVote:
    """The votes, counted by one set of weights after another, and the policies of the counting."""

    votes: VoteMatrix
    counter: IncrementalCounter
    labels: int
    options: Options

    @classmethod
    def of(cls, votes: VoteMatrix, options: Options) -> Self:
        """Lay out the votes, and estimate L where the options say so."""
        table = votes.table(options.gold)
        labels = options.labels
        if labels is LabelCount.ESTIMATED:
            labels = _estimated_labels(votes, table, options)
        elif isinstance(labels, LabelCount):
            labels = max(votes.source_count, 1)
        return cls(votes, IncrementalCounter(table, options.ties), labels, options)

    def reliability(self, weight: Floats) -> Floats:
        """(N,) share of each source's judged votes that are for the winners under `weight` (N,):
        `w_i = sum_j [vote_ij = y_j] / |votes of i|`, and the policy's value for a source without judged votes.
        """
        agreed, judged = self.counter.agreement(weight)
        policy = self.options.silent_sources
        share = np.divide(agreed, judged, out=np.full_like(agreed, np.nan), where=judged > 0)
        if policy is SilentSources.UNKNOWN:
            return share
        if policy is SilentSources.MEAN and (judged > 0).any():
            return np.where(judged > 0, share, share[judged > 0].mean())
        return np.where(judged > 0, share, 1 / self.labels)

    def weight(self, reliability: Floats) -> Floats:
        """(N,) `v_i = L * w_i - 1`, and 0 for an unknown reliability."""
        # The same in this form, except that a source exactly at chance weighs 0 and not 1e-16.
        weight = np.nan_to_num((reliability - 1 / self.labels) * self.labels, nan=0.0)
        return weight.clip(min=0.0) if self.options.negative_weights is NegativeWeights.ZERO else weight

    def majority(self) -> FixedPoint:
        """The reliabilities by the answers of the majority."""
        return FixedPoint(self.reliability(np.ones(self.votes.source_count)), 1, StopReason.ONE_ROUND)

    def iterated(self) -> FixedPoint:
        """The reliabilities where answers by weight and weights by answers no longer change, from the majority or from
        the gold answers on.
        """
        table = self.counter.table
        end = iterate(
            lambda reliability: self.reliability(self.weight(reliability)),
            self.majority().value if table.gold_class is None else start_reliability(table),
            max_rounds=self.options.max_rounds - 1,
            tolerance=self.options.tolerance,
        )
        return FixedPoint(end.value, end.rounds + 1, end.stop_reason)

    def estimate(self, method: str, end: FixedPoint, weight: Floats) -> Estimate:
        """The estimate whose answers are those of the vote under `weight` (N,); intervals take these for right."""
        agreed, judged = self.counter.agreement(weight)
        prior = fit_prior(agreed, judged)
        lower, upper = prior.posterior_interval(agreed, judged)
        fit = SourceFit(method, end.value, weight, lower, upper, prior, end.rounds, end.stop_reason, self.labels)
        return by_weight(self.votes, self.counter.table, fit, self.counter.decide(weight))


def _estimated_labels(votes: VoteMatrix, table: VoteTable, options: Options) -> int:
    """L as `1 + 1 / P(two losing votes on a query agree)`, given the answers that L itself leads to, from those of the
    majority on. Where no two votes ever lose on one query, the number of sources.
    """
    counter = IncrementalCounter(table, options.ties)
    labels = _labels_by_losers(table, counter.winners(np.ones(votes.source_count)).winner)
    for _ in range(_LABEL_PASSES):
        vote = WeightedVote(votes, counter, labels, replace(options, silent_sources=SilentSources.MEAN))
        reliability = vote.iterated().value
        previous, labels = labels, _labels_by_losers(table, counter.winners(vote.weight(reliability)).winner)
        if labels == previous:
            break
    return labels


def _labels_by_losers(table: VoteTable, winner: Integers) -> int:
    lost = table.supporters.astype(np.float64)
    lost[winner[winner >= 0]] = 0.0
    per_query = np.add.reduceat(lost, table.first_class) if lost.size else lost
    pairs, agreeing = (per_query * (per_query - 1)).sum(), (lost * (lost - 1)).sum()
    most = max(table.source_count, 2)
    return int(np.clip(round(1 + pairs / agreeing), 2, most)) if agreeing else most
