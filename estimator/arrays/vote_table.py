"""One round of voting on all queries at once: weights in, winners out; winners in, agreement out."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from estimator.arrays.blocks import Block, query_blocks
from estimator.arrays.segment_maxima import concatenated_ranges
from estimator.arrays.sorting import largest_id, starts
from estimator.arrays.types import Flags, Floats, Indices, Integers
from estimator.errors import EstimatorError
from estimator.policies import TiePolicy

TIE_TOLERANCE: Final = 1e-10
"""Weights are sums of up to thousands of rounded terms, added in an order that depends on how the sources are
numbered. Answers whose weights differ by less than this share of what a query could weigh are tied."""
NO_GOLD: Final = -2
"""The class of the gold answer of a query without one."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The outcome of a weighted vote on the K queries that have votes."""

    winner: Integers
    """(K,) winning class, or -1 where a tie has no winner."""
    tied: Flags
    """(K,) whether several answers were the heaviest."""
    score: Floats
    """(C,) summed weight of every class."""
    second: Floats
    """(K,) the second largest score, `-inf` where there is only one."""


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes laid out for repeated counting: V votes for C classes of K queries by N sources.

    What only some methods need is laid out on first use, and takes 8 bytes a vote and 16 a class.
    """

    source_count: int
    source: Indices
    """(V,) source of every vote, class by class."""
    class_start: Indices
    """(C + 1,) first vote of every class, then V."""
    query: Integers
    """(K,) the queries that have votes."""
    first_class: Integers
    """(K,) first class of each of them."""
    gold_class: Integers | None = None
    """(K,) class of the gold answer, -1 where nobody gave it, `NO_GOLD` where none is known; None for none at all."""
    read: Floats | None = None
    """(V,) probability that a vote is what its source says; None where all certainly are."""

    @classmethod
    def of(
        cls,
        source_count: int,
        source: Indices,
        class_start: Indices,
        class_query: Indices,
        read: Floats | None = None,
    ) -> Self:
        """The table of votes sorted by query and answer; the arguments are those of `VoteMatrix`."""
        first_class = np.flatnonzero(starts(class_query))
        query = class_query[first_class].astype(np.int64)
        return cls(source_count, source, class_start, query, first_class, read=read)

    def with_gold(self, has_gold: Flags, right: Integers) -> Self:
        """The table with gold answers to the queries flagged in (K,), those of the classes `right` among them."""
        gold_class = np.where(has_gold, -1, NO_GOLD)
        gold_class[np.searchsorted(self.first_class, right, side="right") - 1] = right
        return replace(self, gold_class=gold_class)

    @property
    def class_count(self) -> int:
        """C."""
        return self.class_start.size - 1

    @property
    def has_gold(self) -> Flags:
        """(K,) whether the right answer to the query is known."""
        return np.zeros(self.query.size, dtype=np.bool_) if self.gold_class is None else self.gold_class != NO_GOLD

    @cached_property
    def _ruled_out(self) -> Flags:
        """(C + K,) whether gold rules out that the class is right, or that nobody gave the right answer."""
        has_gold, gold_class = self.has_gold, np.asarray(self.gold_class)
        ruled_out = np.concatenate([has_gold[self.row], gold_class >= 0])
        ruled_out[gold_class[gold_class >= 0]] = False
        return ruled_out

    def given_gold(self, log_likelihood: Floats) -> Floats:
        """The log likelihoods (C + K,) of each class and of nobody being right, `-inf` where gold rules it out."""
        return log_likelihood if self.gold_class is None else np.where(self._ruled_out, -np.inf, log_likelihood)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(query_blocks(self.source, self.class_start, self.first_class, self.source_count))

    @cached_property
    def source_votes(self) -> Floats:
        """(N,) number of votes of every source."""
        return self.sum_by_source(np.ones(self.class_count))

    @cached_property
    def incidence(self) -> sparse.csr_array:
        """(C, N) 1 where a source voted for a class."""
        shape = (self.class_count, self.source_count)
        return sparse.csr_array((np.ones(self.source.size), self.source, self.class_start), shape=shape)

    @cached_property
    def row(self) -> Integers:
        """(C,) index in `query` of every class."""
        return np.repeat(np.arange(self.first_class.size), np.diff(self.first_class, append=self.class_count))

    @cached_property
    def supporters(self) -> Integers:
        """(C,) number of votes of every class."""
        return np.diff(self.class_start).astype(np.int64)

    def query_votes(self) -> Integers:
        """(K,) number of votes on every query."""
        votes: Integers = np.diff(self.class_start[np.append(self.first_class, self.class_count)]).astype(np.int64)
        return votes

    def decide(self, weight: Floats, ties: TiePolicy) -> Decision:
        """The heaviest class of every query, `argmax_a sum_i v_i [vote_ij = a]`, for weights v (N,)."""
        largest = float(np.abs(weight).max(initial=0.0))
        tolerance: Floats = self.query_votes().astype(np.float64) * (TIE_TOLERANCE * largest)
        return self.choose(self.scores(weight), tolerance, ties)

    def scores(self, weight: Floats) -> Floats:
        """(C,) summed weight of every class, for weights (N,)."""
        if (weight == 1.0).all():
            return np.diff(self.class_start).astype(np.float64)
        score = np.empty(self.class_count)
        for block in self.blocks:
            score[block.classes] = block.incidence @ weight
        return score

    def choose(self, score: Floats, tolerance: Floats | float, ties: TiePolicy) -> Decision:
        """The class of the largest score (C,) of every query; scores within `tolerance`, a number or (K,), are tied."""
        size = self.first_class.size
        winner, tied = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.bool_)
        second, tolerance = np.empty(size), np.broadcast_to(tolerance, size)
        for block in self.blocks:
            rows, classes = block.rows, block.classes
            chosen, tied[rows], second[rows] = block.choose(score[classes], tolerance[rows], ties)
            winner[rows] = np.where(chosen < 0, -1, chosen + classes.start)
        if self.gold_class is not None:
            winner, tied = np.where(self.has_gold, self.gold_class, winner), tied & ~self.has_gold
        return Decision(winner, tied, score, second)

    def take_rows(self, rows: Integers) -> Self:
        """The table of these rows of `query` alone, in the given order; sources keep their numbers."""
        count = np.diff(self.first_class, append=self.class_count)[rows]
        first_class = np.cumsum(count) - count
        classes = concatenated_ranges(self.first_class[rows], count)
        size = self.class_start[classes + 1] - self.class_start[classes]
        start = np.concatenate(([0], np.cumsum(size))).astype(np.int32)
        gold_class = None if self.gold_class is None else self.gold_class[rows]
        if gold_class is not None:
            gold_class = np.where(gold_class >= 0, gold_class + first_class - self.first_class[rows], gold_class)
        places = concatenated_ranges(self.class_start[classes], size)
        read = None if self.read is None else self.read[places]
        return type(self)(
            self.source_count, self.source[places], start, self.query[rows], first_class, gold_class, read
        )

    def sum_by_source(self, value: Floats) -> Floats:
        """(N,) sum of a (C,) value over the classes that each source voted for."""
        total = np.zeros(self.source_count)
        for block in self.blocks:
            total += block.incidence.T @ value[block.classes]
        return total

    def agreement(self, winner: Integers) -> tuple[Floats, Floats]:
        """Votes of every source for the winners (K,), and its votes on queries that have one or gold; both (N,)."""
        elected = np.zeros(self.class_count)
        elected[winner[winner >= 0]] = 1.0
        agreed = self.sum_by_source(elected)
        judged = self.judged(winner)
        if judged.all():
            return agreed, self.source_votes
        return agreed, self.sum_by_source(judged[self.row].astype(np.float64))

    def losing_pairs(self, winner: Integers) -> tuple[int, int]:
        """Ordered pairs of votes on the same query that are not for its winner (K,), and those of them that agree."""
        lost = self.supporters.copy()
        lost[winner[winner >= 0]] = 0
        per_query = np.add.reduceat(lost, self.first_class) if lost.size else lost
        return int((per_query * (per_query - 1)).sum()), int((lost * (lost - 1)).sum())

    def judged(self, winner: Integers) -> Flags:
        """(K,) whether the votes on a query count for or against their sources: it has a winner, or unvoted gold."""
        return winner >= 0 if self.gold_class is None else (winner >= 0) | self.has_gold

    def margin(self, decision: Decision, weight: Floats) -> Floats:
        """(K,) the winner's weight minus that of the runner-up, over the sum of |v| of the query's voters.

        Clipped at 0, so that a unanimous vote of sources below chance does not look certain; 0 for a tie and where all
        voters weigh nothing.
        """
        size = decision.score if (weight >= 0).all() else self.scores(np.abs(weight))
        total = np.add.reduceat(size, self.first_class)
        lead = self.lead(decision)
        share: Floats = np.divide(lead, total, out=np.zeros_like(lead), where=(total > 0) & ~decision.tied)
        return share.clip(0.0, 1.0)

    def lead(self, decision: Decision) -> Floats:
        """(K,) the winner's score minus the largest other one or 0; 0 without a winner and undefined for a tie."""
        second = np.where(np.isneginf(decision.second), 0.0, decision.second)
        lead: Floats = np.where(decision.winner >= 0, decision.score[decision.winner] - second, 0.0)
        return lead


_LARGEST_ID: Final = np.iinfo(np.int64).max


def parallel(**columns: ArrayLike) -> tuple[NDArray[Any], ...]:
    """The columns as flat arrays of one length; raises EstimatorError for others."""
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    sizes = {name: array.shape for name, array in arrays.items()}
    if len(set(sizes.values())) != 1 or any(array.ndim != 1 for array in arrays.values()):
        *names, last = sizes
        raise EstimatorError(f"{', '.join(names)} and {last} must be flat arrays of one length, not of shapes {sizes}")
    return tuple(arrays.values())


def integers(name: str, column: NDArray[Any]) -> NDArray[Any]:
    """The column, of int64 where it is empty; raises EstimatorError where it does not hold integers."""
    if not column.size:
        return column.astype(np.int64)
    if not np.issubdtype(column.dtype, np.integer):
        raise EstimatorError(f"{name} holds {column.dtype}; number its values and give integers")
    if column.dtype == np.uint64 and int(column.max()) > _LARGEST_ID:
        raise EstimatorError(f"{name} holds {column.max()}; ids go up to {_LARGEST_ID}, number them from 0")
    return column


def largest(name: str, ids: NDArray[Any], count: int | None = None) -> int:
    """The largest id, 0 if there is none. Raises for one below 0, and for one that is not below `count`."""
    top = largest_id(ids)
    if top < 0 and ids.size:
        message = f"{name} holds {ids.min()}; ids start at 0, and an abstention is left out, not numbered"
        raise EstimatorError(message)
    if count is not None and top >= count:
        raise EstimatorError(f"{name} holds {top}, but {name}_count is {count}; count all of them, or number from 0")
    return max(top, 0)
