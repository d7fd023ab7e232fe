"""Reliabilities by answers and weights by reliabilities, round by round until they stand still."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from estimator.arrays.types import Floats
from estimator.methods.member import Options
from estimator.policies import LabelCount, NegativeWeights, SilentSources, StopReason


@dataclass(frozen=True, slots=True, eq=False)
class FixedPoint:
    """The last vector, how often the map was applied, and why the iteration stopped."""

    value: Floats
    rounds: int
    stop_reason: StopReason


def iterate(step: Callable[[Floats], Floats], start: Floats, *, max_rounds: int, tolerance: float) -> FixedPoint:
    """Apply `step` until no element moves by more than `tolerance`; an element that stays NaN stands still.

    A vector equal to an earlier one, bit for bit, means a cycle, because the map depends on the vector alone.
    """
    value, seen = start, {start.tobytes()}
    for rounds in range(1, max_rounds + 1):
        previous, value = value, step(value)
        unknown = np.isnan(value) & np.isnan(previous)
        if (unknown | (np.abs(value - previous) <= tolerance)).all():
            return FixedPoint(value, rounds, StopReason.CONVERGED)
        if value.tobytes() in seen:
            return FixedPoint(value, rounds, StopReason.OSCILLATING)
        seen.add(value.tobytes())
    return FixedPoint(value, max_rounds, StopReason.ROUND_LIMIT)


# An estimated L settles in two or three passes; it moves answers only where it moves by whole labels.
_LABEL_PASSES: Final = 5


class VoteCounter(Protocol):
    """Counts the votes of N sources under weights (N,)."""

    def agreement(self, weight: Floats) -> tuple[Floats, Floats]:
        """Votes of every source for the winners, and its votes on queries that have a winner or gold; both (N,)."""
        ...

    def losing_pairs(self, weight: Floats) -> tuple[int, int]:
        """Ordered pairs of losing votes on the same query, and those of them for the same answer."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class VotingRounds:
    """The rounds of a weighted vote of N sources."""

    source_count: int
    counter: VoteCounter
    labels: int
    options: Options

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
        return FixedPoint(self.reliability(np.ones(self.source_count)), 1, StopReason.ONE_ROUND)

    def iterated(self, start: Floats | None = None) -> FixedPoint:
        """The reliabilities at which answers and weights no longer change, from `start` (N,) or the majority on."""
        end = iterate(
            lambda reliability: self.reliability(self.weight(reliability)),
            self.majority().value if start is None else start,
            max_rounds=self.options.max_rounds - 1,
            tolerance=self.options.tolerance,
        )
        return FixedPoint(end.value, end.rounds + 1, end.stop_reason)


def label_count(counter: VoteCounter, source_count: int, options: Options, start: Floats | None = None) -> int:
    """L: as given, the number of sources, or estimated.

    It is estimated as `1 + 1 / P(two losing votes on a query agree)`, given the answers that L itself leads to, from
    those of the majority on. Where no two votes ever lose on one query, it is the number of sources.
    """
    if not isinstance(options.labels, LabelCount):
        return options.labels
    if options.labels is LabelCount.SOURCES:
        return max(source_count, 1)
    labels = _by_losers(counter, np.ones(source_count))
    options = replace(options, silent_sources=SilentSources.MEAN)
    for _ in range(_LABEL_PASSES):
        rounds = VotingRounds(source_count, counter, labels, options)
        previous, labels = labels, _by_losers(counter, rounds.weight(rounds.iterated(start).value))
        if labels == previous:
            break
    return labels


def _by_losers(counter: VoteCounter, weight: Floats) -> int:
    pairs, agreeing = counter.losing_pairs(weight)
    most = max(weight.size, 2)
    return int(np.clip(round(1 + pairs / agreeing), 2, most)) if agreeing else most
