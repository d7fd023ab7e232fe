"""One round of voting over all queries at once: weights in, winners out; winners in, agreement out."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from estimator.ordering import starts
from estimator.policies import TiePolicy
from estimator.votes import Integers, VoteMatrix

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

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


@dataclass(frozen=True, slots=True, eq=False)
class Ballot:
    """Votes laid out for counting them again and again: C classes of K queries, N sources."""

    incidence: sparse.csr_array
    """(C, N) 1 where a source voted for a class; a product with it is the fastest way to add votes up."""
    query: Integers
    """(K,) the queries that have votes."""
    first: Integers
    """(K,) first class of each of them."""
    row: Integers
    """(C,) place in `query` of every class."""
    supporters: Integers
    """(C,) votes of every class."""
    turnout: Floats
    """(N,) votes of every source."""

    @classmethod
    def of(cls, votes: VoteMatrix) -> Self:
        """Lay out the votes."""
        begins = starts(votes.class_query)
        first = np.flatnonzero(begins)
        ones = np.ones(votes.vote_count)
        shape = (votes.class_count, votes.source_count)
        incidence = sparse.csr_array((ones, votes.source, votes.class_start), shape=shape)
        row: Integers = np.cumsum(begins, dtype=np.int64)
        row -= 1
        return cls(
            incidence=incidence,
            query=votes.class_query[first].astype(np.int64),
            first=first,
            row=row,
            supporters=np.diff(votes.class_start).astype(np.int64),
            turnout=incidence.T @ np.ones(votes.class_count),
        )

    def decide(self, weight: Floats, ties: TiePolicy) -> Decision:
        """The heaviest class of every query, `argmax_a sum_i v_i [vote_ij = a]`, for `weight` v (N,)."""
        return self.choose(self.scores(weight), self._slack(weight), ties)

    def scores(self, weight: Floats) -> Floats:
        """(C,) summed weight of every class."""
        if (weight == 1.0).all():
            return self.supporters.astype(np.float64)
        score: Floats = self.incidence @ weight
        return score

    def choose(self, score: Floats, slack: Floats | float, ties: TiePolicy) -> Decision:
        """The class of the largest score (C,) of every query; scores up to `slack`, or (K,) slacks, apart are tied."""
        least = np.maximum.reduceat(score, self.first) - slack
        heaviest = np.flatnonzero(score >= least[self.row])
        if heaviest.size == self.first.size:
            return Decision(heaviest, np.zeros(heaviest.size, dtype=np.bool_), score)
        row = self.row[heaviest]
        winner, tied = heaviest[starts(row)], np.bincount(row) > 1
        if ties is TiePolicy.SUPPORTERS:
            winner[tied] = self._most_supported(heaviest[tied[row]])
        if ties is TiePolicy.NO_ANSWER:
            winner[tied] = -1
        return Decision(winner, tied, score)

    def of_rows(self, rows: Integers) -> Self:
        """The ballot of these rows of `query` alone, in the order given; sources keep their numbers."""
        count = np.diff(np.append(self.first, self.row.size))[rows]
        first = np.cumsum(count) - count
        classes = np.repeat(self.first[rows] - first, count) + np.arange(int(count.sum()))
        incidence = self.incidence[classes]
        return type(self)(
            incidence=incidence,
            query=self.query[rows],
            first=first,
            row=np.repeat(np.arange(rows.size), count),
            supporters=self.supporters[classes],
            turnout=incidence.T @ np.ones(classes.size),
        )

    def voters(self) -> Integers:
        """(K,) votes of every query."""
        start = self.incidence.indptr
        return np.diff(np.append(start[self.first], start[-1])).astype(np.int64)

    def agreement(self, winner: Integers) -> tuple[Floats, Floats]:
        """(N,) votes of every source for the winners, and (N,) its votes on queries that have one."""
        elected = np.zeros(self.row.size)
        elected[winner[winner >= 0]] = 1.0
        agreed: Floats = self.incidence.T @ elected
        if (winner >= 0).all():
            return agreed, self.turnout
        judged: Floats = self.incidence.T @ (winner >= 0)[self.row].astype(np.float64)
        return agreed, judged

    def regained(self, agreed: Floats, before: Integers, after: Integers) -> Floats:
        """(N,) votes for the winners `after`, given those for the winners `before`, both (K,) with no -1."""
        changed = np.flatnonzero(before != after)
        gained, lost = (self.incidence[winner[changed]].T @ np.ones(changed.size) for winner in (after, before))
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
        second = self.runner_up(decision)
        lead: Floats = decision.score[decision.winner] - np.where(np.isneginf(second), 0.0, second)
        return lead

    def runner_up(self, decision: Decision) -> Floats:
        """(K,) the largest score of a class that did not win, `-inf` where there is none."""
        rest = decision.score.copy()
        rest[decision.winner[decision.winner >= 0]] = -np.inf
        second: Floats = np.maximum.reduceat(rest, self.first)
        return second

    def _slack(self, weight: Floats) -> Floats:
        slack: Floats = self.voters().astype(np.float64) * (ROUNDING * float(np.abs(weight).max(initial=0.0)))
        return slack

    def _most_supported(self, classes: Integers) -> Integers:
        """The first of the classes with most supporters, for every query among these classes."""
        begins = starts(self.row[classes])
        query, supporters = np.cumsum(begins) - 1, self.supporters[classes]
        most = np.maximum.reduceat(supporters, np.flatnonzero(begins))
        among = np.flatnonzero(supporters == most[query])
        return classes[among[starts(query[among])]]
