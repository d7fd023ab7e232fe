"""Counting the same votes under changing weights, looking only at the queries that a change can overturn."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from estimator.arrays.types import Flags, Floats, Integers
from estimator.arrays.vote_table import TIE_TOLERANCE, Decision, VoteTable
from estimator.policies import TiePolicy

# Scores within the tolerance are tied; doubled, it covers the rounding of their differences too.
_TOLERANCE: Final = 2 * TIE_TOLERANCE
# A score is a sum of t rounded terms and off by at most t times 2^-53 of each.
_ROUNDING_PER_TERM: Final = 1e-15
# Where more queries than this share may change, counting all of them costs less than picking them.
_LARGEST_SHARE: Final = 0.5
# With fewer than one vote in so many reweighed, its queries are recounted without computing a bound for all queries.
_FEW: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Winners:
    """(K,) winning classes, and whether several answers were the heaviest, as in a `Decision`."""

    winner: Integers
    tied: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Subset:
    """Some rows of a table, laid out on their own: all whose winner can change while no weight moves beyond `reach`."""

    rows: Integers
    table: VoteTable
    reach: float = 0.0

    def recount(self, whole: VoteTable, before: Winners, weight: Floats, ties: TiePolicy) -> Winners:
        """The winners by `weight`, which differ from those before at these rows at most."""
        winner, tied = before.winner.copy(), before.tied.copy()
        decision = self.table.decide(weight, ties)
        offset = whole.first_class[self.rows] - self.table.first_class
        winner[self.rows] = np.where(decision.winner < 0, -1, decision.winner + offset)
        tied[self.rows] = decision.tied
        return Winners(winner, tied)


@dataclass(frozen=True, eq=False)
class FullCount:
    """A count of all queries, with which later counts are compared."""

    table: VoteTable
    weight: Floats
    decision: Decision

    @cached_property
    def safe_change(self) -> Floats:
        """(K,) how far all weights may move without another winner or a tie; valid up to the largest weight.

        Nobody votes for two answers to a query, so that a winner's lead over any other answer changes by at most the
        query's votes times the largest change of a weight.
        """
        votes = self.table.query_votes().astype(np.float64)
        lead = self.decision.score[self.decision.winner] - self.decision.second
        lead[self.decision.tied] = -np.inf
        lead[self.table.has_gold] = np.inf
        error = (_TOLERANCE + _ROUNDING_PER_TERM * votes) * (2 * _largest(self.weight))
        return (lead / votes - error) * (1 - _TOLERANCE)

    def subset(self, change: float, previous: Subset | None) -> Subset | None:
        """The queries that a change of the weights could overturn, or None if they are many."""
        if previous is not None and change <= previous.reach:
            return previous
        if change >= _largest(self.weight):  # no lead is larger
            return None
        rows = np.flatnonzero(self.safe_change <= change)
        few = rows.size <= _LARGEST_SHARE * self.safe_change.size
        return Subset(rows, self.table.take_rows(rows), change) if few else None


@dataclass(slots=True)
class IncrementalCounter:
    """Counts votes under one set of weights after another and keeps what still holds of the last count."""

    table: VoteTable
    ties: TiePolicy
    _full: FullCount | None = None
    _subset: Subset | None = None
    _weight: Floats | None = None
    _winners: Winners | None = None
    _agreement: tuple[Floats, Floats] | None = None

    def winners(self, weight: Floats) -> Winners:
        """Winners and ties by these weights (N,), exactly those of `VoteTable.decide`."""
        if self._winners is None or self._weight is None or not np.array_equal(weight, self._weight):
            before, self._weight, self._winners = self._winners, weight, self._count(weight)
            self._agreement = self._updated_agreement(before, self._winners)
        return self._winners

    def agreement(self, weight: Floats) -> tuple[Floats, Floats]:
        """Votes for the winners by these weights, and votes on queries that have a winner; both (N,)."""
        winners = self.winners(weight)
        if self._agreement is None:
            self._agreement = self.table.agreement(winners.winner)
        return self._agreement

    def losing_pairs(self, weight: Floats) -> tuple[int, int]:
        """Ordered pairs of losing votes on the same query, and those of them for the same answer."""
        return self.table.losing_pairs(self.winners(weight).winner)

    def decide(self, weight: Floats) -> Decision:
        """Winners and ties by these weights, with all scores."""
        if self._full is not None and np.array_equal(weight, self._full.weight):
            return self._full.decision
        return self.table.decide(weight, self.ties)

    def _count(self, weight: Floats) -> Winners:
        reweighed = self._reweighed_queries(weight)
        if reweighed is not None and self._winners is not None:
            return reweighed.recount(self.table, self._winners, weight, self.ties)
        if self._full is not None:
            self._subset = self._full.subset(_largest(weight - self._full.weight), self._subset)
            if self._subset is not None:
                decision = self._full.decision
                return self._subset.recount(self.table, Winners(decision.winner, decision.tied), weight, self.ties)
        decision = self.table.decide(weight, self.ties)
        self._full, self._subset = FullCount(self.table, weight, decision), None
        return Winners(decision.winner, decision.tied)

    def _reweighed_queries(self, weight: Floats) -> Subset | None:
        """The queries with votes of sources whose weight differs from the last one, if these votes are few.

        A tie is judged by the largest weight, so that has to be the same.
        """
        if self._weight is None or _largest(weight) != _largest(self._weight):
            return None
        moved = weight != self._weight
        if self.table.source_votes[moved].sum() * _FEW > self.table.source.size:
            return None
        rows = self.table.rows_voted_on(moved)
        return Subset(rows, self.table.take_rows(rows))

    def _updated_agreement(self, before: Winners | None, now: Winners) -> tuple[Floats, Floats] | None:
        """The last agreement brought up to date, where every query has a winner and few changed; else None."""
        if before is None or self._agreement is None:
            return None
        if not (self.table.judged(before.winner).all() and self.table.judged(now.winner).all()):
            return None
        if np.count_nonzero(before.winner != now.winner) * 8 > now.winner.size:
            return None
        agreed, judged = self._agreement
        return self.table.updated_agreement(agreed, before.winner, now.winner), judged


def _largest(weight: Floats) -> float:
    return float(np.abs(weight).max(initial=0.0))
