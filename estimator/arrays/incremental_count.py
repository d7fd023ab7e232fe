"""Counting the same votes by one set of weights after another, and looking only at what the change can overturn."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from estimator.arrays.vote_table import ROUNDING, Ballot, Decision, Flags, Floats
from estimator.policies import TiePolicy
from estimator.votes import Integers

# Scores within the slack of a tie are not told apart; doubled, it covers the rounding of the differences too.
_SLACK: Final = 2 * ROUNDING
# A score is a sum of t rounded terms and off by at most t times 2^-53 of each.
_EACH_TERM: Final = 1e-15
# Where more queries than this share may turn, counting all of them costs less than picking them.
_MANY: Final = 0.5
# One vote in so many, and its query's other votes, are counted sooner than all queries are compared with a bound.
_FEW: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Election:
    """(K,) winners, and whether several answers were the heaviest, as in a `Decision`."""

    winner: Integers
    tied: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of a ballot, laid out on their own: all that can turn while no weight moves by more than `reach`."""

    rows: Integers
    ballot: Ballot
    reach: float = 0.0

    def corrected(self, whole: Ballot, known: Election, weight: Floats, ties: TiePolicy) -> Election:
        """The election by `weight`, which differs from the known one at these rows at most."""
        winner, tied = known.winner.copy(), known.tied.copy()
        anew = self.ballot.decide(weight, ties)
        moved = whole.first[self.rows] - self.ballot.first
        winner[self.rows] = np.where(anew.winner < 0, -1, anew.winner + moved)
        tied[self.rows] = anew.tied
        return Election(winner, tied)


@dataclass(frozen=True, eq=False)
class FullCount:
    """A count of all queries, with which counts by other weights are compared."""

    ballot: Ballot
    weight: Floats
    decision: Decision

    @cached_property
    def safe(self) -> Floats:
        """(K,) how far all weights may move without another winner or a tie; holds up to the largest weight.

        Nobody votes for two answers to a query, so that a winner's lead over any other answer moves by at most the
        query's votes times the largest change of a weight.
        """
        voters = self.ballot.voters().astype(np.float64)
        lead = self.decision.score[self.decision.winner] - self.decision.second
        lead[self.decision.tied] = -np.inf
        error = (_SLACK + _EACH_TERM * voters) * (2 * largest(self.weight))
        return (lead / voters - error) * (1 - _SLACK)

    def part(self, change: float, known: Part | None) -> Part | None:
        """The queries that a change of the weights could turn, or None if they are many."""
        if known is not None and change <= known.reach:
            return known
        if change >= largest(self.weight):  # no lead is larger
            return None
        rows = np.flatnonzero(self.safe <= change)
        return Part(rows, self.ballot.of_rows(rows), change) if rows.size <= _MANY * self.safe.size else None


@dataclass(slots=True)
class Counter:
    """The last count of the votes, and what of it still holds."""

    ballot: Ballot
    ties: TiePolicy
    full: FullCount | None = None
    part: Part | None = None
    weight: Floats | None = None
    election: Election | None = None
    counts: tuple[Floats, Floats] | None = None

    def elect(self, weight: Floats) -> Election:
        """Winners and ties by these weights (N,), exactly those of `Ballot.decide`."""
        if self.election is None or self.weight is None or not np.array_equal(weight, self.weight):
            before, self.weight, self.election = self.election, weight, self._elected(weight)
            self.counts = self._recounted(before, self.election)
        return self.election

    def judge(self, weight: Floats) -> tuple[Floats, Floats]:
        """Votes for the winners by these weights, and votes judged; both (N,)."""
        election = self.elect(weight)
        if self.counts is None:
            self.counts = self.ballot.agreement(election.winner)
        return self.counts

    def decide(self, weight: Floats) -> Decision:
        """Winners and ties by these weights, and all scores."""
        if self.full is not None and np.array_equal(weight, self.full.weight):
            return self.full.decision
        return self.ballot.decide(weight, self.ties)

    def _elected(self, weight: Floats) -> Election:
        few = self._of_few_sources(weight)
        if few is not None and self.election is not None:
            return few.corrected(self.ballot, self.election, weight, self.ties)
        if self.full is not None:
            self.part = self.full.part(largest(weight - self.full.weight), self.part)
            if self.part is not None:
                decision = self.full.decision
                return self.part.corrected(self.ballot, Election(decision.winner, decision.tied), weight, self.ties)
        decision = self.ballot.decide(weight, self.ties)
        self.full, self.part = FullCount(self.ballot, weight, decision), None
        return Election(decision.winner, decision.tied)

    def _of_few_sources(self, weight: Floats) -> Part | None:
        """The queries with votes that count otherwise than in the last election, if these votes are few.

        A tie is judged by the largest weight, so that has to be the same.
        """
        if self.weight is None or largest(weight) != largest(self.weight):
            return None
        moved = weight != self.weight
        if self.ballot.turnout[moved].sum() * _FEW > self.ballot.source.size:
            return None
        rows = self.ballot.rows_of(moved)
        return Part(rows, self.ballot.of_rows(rows))

    def _recounted(self, before: Election | None, now: Election) -> tuple[Floats, Floats] | None:
        """The last counts brought up to date, where every query has a winner and few changed; else None."""
        if before is None or self.counts is None or (before.winner < 0).any() or (now.winner < 0).any():
            return None
        if np.count_nonzero(before.winner != now.winner) * 8 > now.winner.size:
            return None
        agreed, judged = self.counts
        return self.ballot.regained(agreed, before.winner, now.winner), judged


def largest(weight: Floats) -> float:
    """The largest absolute value."""
    return float(np.abs(weight).max(initial=0.0))
