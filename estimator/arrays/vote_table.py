"""One round of voting over all queries at once: weights in, winners out; winners in, agreement out."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self

import numpy as np
from scipy import sparse

from estimator.arrays.blocks import Block, Flags, Floats, Places, blocks
from estimator.arrays.segment_maxima import runs
from estimator.arrays.sorting import blocks as blocks_of
from estimator.arrays.sorting import starts
from estimator.policies import TiePolicy
from estimator.votes import Integers, VoteMatrix

__all__ = ["ROUNDING", "Ballot", "Decision", "Flags", "Floats"]

ROUNDING: Final = 1e-10
"""Weights are sums of up to thousands of rounded terms, added in an order that depends on how the sources are
numbered. Answers whose weights differ by less than this share of what a query could weigh are tied."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """What the votes of the K queries that have any came to under one set of weights."""

    winner: Integers
    """(K,) winning class, or -1 where a tie has no winner."""
    tied: Flags
    """(K,) whether several answers were the heaviest."""
    score: Floats
    """(C,) summed weight of every class."""
    second: Floats
    """(K,) the largest score but one, `-inf` where there is only one."""


@dataclass(frozen=True, eq=False)
class Ballot:
    """Votes laid out for counting them again and again: V votes for C classes of K queries, N sources.

    What the models need beyond counting is laid out when it is asked for, and costs 8 bytes a vote and 16 a class.
    """

    source_count: int
    source: Places
    """(V,) source of every vote, class by class."""
    class_start: Places
    """(C + 1,) first vote of every class, then V."""
    query: Integers
    """(K,) the queries that have votes."""
    first: Integers
    """(K,) first class of each of them."""

    @classmethod
    def of(cls, votes: VoteMatrix) -> Self:
        """Lay out the votes."""
        first = np.flatnonzero(starts(votes.class_query))
        query = votes.class_query[first].astype(np.int64)
        return cls(votes.source_count, votes.source, votes.class_start, query, first)

    @property
    def class_count(self) -> int:
        """C."""
        return self.class_start.size - 1

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All queries in blocks."""
        return tuple(blocks(self.source, self.class_start, self.first, self.source_count))

    @cached_property
    def turnout(self) -> Floats:
        """(N,) votes of every source."""
        return self.sums(np.ones(self.class_count))

    @cached_property
    def incidence(self) -> sparse.csr_array:
        """(C, N) 1 where a source voted for a class."""
        shape = (self.class_count, self.source_count)
        return sparse.csr_array((np.ones(self.source.size), self.source, self.class_start), shape=shape)

    @cached_property
    def row(self) -> Integers:
        """(C,) place in `query` of every class."""
        return np.repeat(np.arange(self.first.size), np.diff(self.first, append=self.class_count))

    @cached_property
    def supporters(self) -> Integers:
        """(C,) votes of every class."""
        return np.diff(self.class_start).astype(np.int64)

    def decide(self, weight: Floats, ties: TiePolicy) -> Decision:
        """The heaviest class of every query, `argmax_a sum_i v_i [vote_ij = a]`, for `weight` v (N,)."""
        return self.choose(self.scores(weight), self._slack(weight), ties)

    def scores(self, weight: Floats) -> Floats:
        """(C,) summed weight of every class."""
        if (weight == 1.0).all():
            return np.diff(self.class_start).astype(np.float64)
        score = np.empty(self.class_count)
        for block in self.blocks:
            score[block.classes] = block.incidence @ weight
        return score

    def choose(self, score: Floats, slack: Floats | float, ties: TiePolicy) -> Decision:
        """The class of the largest score (C,) of every query; scores up to `slack`, or (K,) slacks, apart are tied."""
        winner, tied = np.empty(self.first.size, dtype=np.int64), np.empty(self.first.size, dtype=np.bool_)
        second, slack = np.empty(self.first.size), np.broadcast_to(slack, self.first.size)
        for block in self.blocks:
            rows, classes = block.rows, block.classes
            chosen, tied[rows], second[rows] = block.choose(score[classes], slack[rows], ties)
            winner[rows] = np.where(chosen < 0, -1, chosen + classes.start)
        return Decision(winner, tied, score, second)

    def of_rows(self, rows: Integers) -> Self:
        """The ballot of these rows of `query` alone, in the order given; sources keep their numbers."""
        count = np.diff(self.first, append=self.class_count)[rows]
        first = np.cumsum(count) - count
        classes = runs(self.first[rows], count)
        size = self.class_start[classes + 1] - self.class_start[classes]
        start = np.concatenate(([0], np.cumsum(size))).astype(np.int32)
        return type(self)(self.source_count, self.supporters_of(classes), start, self.query[rows], first)

    def rows_of(self, sources: Flags) -> Integers:
        """The rows of `query` on which any of these sources (N,) votes."""
        parts = blocks_of(self.source.size)
        votes = [np.flatnonzero(sources[self.source[part]]) + part.start for part in parts]
        places = np.concatenate(votes) if votes else np.empty(0, dtype=np.int64)
        return np.unique(np.searchsorted(self.class_start[self.first], places, side="right") - 1)

    def supporters_of(self, classes: Integers) -> Places:
        """The sources that voted for these classes, class by class."""
        begin = self.class_start[classes]
        return self.source[runs(begin, self.class_start[classes + 1] - begin)]

    def voters(self) -> Integers:
        """(K,) votes of every query."""
        voters: Integers = np.diff(self.class_start[np.append(self.first, self.class_count)]).astype(np.int64)
        return voters

    def sums(self, value: Floats) -> Floats:
        """(N,) the values (C,) of the classes that each source voted for."""
        total = np.zeros(self.source_count)
        for block in self.blocks:
            total += block.incidence.T @ value[block.classes]
        return total

    def agreement(self, winner: Integers) -> tuple[Floats, Floats]:
        """(N,) votes of every source for the winners, and (N,) its votes on queries that have one."""
        elected = np.zeros(self.class_count)
        elected[winner[winner >= 0]] = 1.0
        agreed = self.sums(elected)
        if (winner >= 0).all():
            return agreed, self.turnout
        return agreed, self.sums((winner >= 0)[self.row].astype(np.float64))

    def regained(self, agreed: Floats, before: Integers, after: Integers) -> Floats:
        """(N,) votes for the winners `after`, given those for the winners `before`, both (K,) with no -1."""
        changed = np.flatnonzero(before != after)
        supporters = (self.supporters_of(winner[changed]) for winner in (after, before))
        gained, lost = (np.bincount(sources, minlength=self.source_count) for sources in supporters)
        total: Floats = agreed + gained - lost
        return total

    def margin(self, decision: Decision, weight: Floats) -> Floats:
        """(K,) the winner's weight minus that of the runner-up, over the sum of |v| of the query's voters.

        Clipped at 0, so that a unanimous vote of sources below chance is no certainty; 0 for a tie and where all
        voters weigh nothing.
        """
        size = decision.score if (weight >= 0).all() else self.scores(np.abs(weight))
        total = np.add.reduceat(size, self.first)
        lead = self.lead(decision)
        share: Floats = np.divide(lead, total, out=np.zeros_like(lead), where=(total > 0) & ~decision.tied)
        return share.clip(0.0, 1.0)

    def lead(self, decision: Decision) -> Floats:
        """(K,) the winner's score minus the largest other one, which is 0 where there is none; no number at a tie."""
        second = np.where(np.isneginf(decision.second), 0.0, decision.second)
        lead: Floats = decision.score[decision.winner] - second
        return lead

    def _slack(self, weight: Floats) -> Floats:
        slack: Floats = self.voters().astype(np.float64) * (ROUNDING * float(np.abs(weight).max(initial=0.0)))
        return slack
