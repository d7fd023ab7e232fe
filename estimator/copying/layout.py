"""Votes laid out for comparing sources: votes by source, and which answer classes compete on a query."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse

from estimator.arrays.sorting import starts
from estimator.arrays.types import Flags, Floats, Integers, read_only
from estimator.votes import VoteMatrix

_LEAST_VOTES = 500


@dataclass(frozen=True, slots=True, eq=False)
class SourceVotes:
    """The V votes of N sources, sorted by source and then query."""

    votes: VoteMatrix
    start: Integers
    """(N + 1,) first vote of every source, then V."""
    source: Integers
    """(V,)"""
    vote_class: Integers
    """(V,) which answer class of `votes` the vote is for."""
    query: Integers
    """(V,)"""
    position: Integers
    """(V,) index of the vote in `votes`."""

    @classmethod
    def of(cls, votes: VoteMatrix) -> Self:
        """Sort the votes by source."""
        position = np.argsort(votes.source, kind="stable")
        source = votes.source[position].astype(np.int64)
        vote_class = votes.vote_class[position]
        return cls(
            votes=votes,
            start=np.searchsorted(source, np.arange(votes.source_count + 1)).astype(np.int64),
            source=source,
            vote_class=vote_class,
            query=votes.class_query[vote_class].astype(np.int64),
            position=position,
        )

    def subset(self, chosen: Flags) -> "SourceVotes":
        """The same sources with the votes flagged in (V,)."""
        kept = np.flatnonzero(chosen)
        start = np.searchsorted(kept, self.start)
        source, vote_class, query, position = self.source, self.vote_class, self.query, self.position
        return SourceVotes(self.votes, start, source[kept], vote_class[kept], query[kept], position[kept])

    def by_class(self, value: Floats) -> sparse.csr_array:
        """(N, C) table of a (V,) value."""
        shape = (self.votes.source_count, self.votes.class_count)
        return sparse.csr_array((value, self.vote_class, self.start), shape=shape)

    def by_query(self, value: Floats) -> sparse.csr_array:
        """(N, M) table of a (V,) value."""
        shape = (self.votes.source_count, self.votes.query_count)
        return sparse.csr_array((value, self.query, self.start), shape=shape)


@dataclass(frozen=True, slots=True, eq=False)
class QueryClasses:
    """The C answer classes by query: which of them compete. K queries have votes."""

    first: Integers
    """(K,) first class of every query."""
    row: Integers
    """(C,) query, as an index in `first`, of every class."""

    @classmethod
    def of(cls, votes: VoteMatrix) -> Self:
        """The queries that have votes."""
        begins = starts(votes.class_query)
        return cls(np.flatnonzero(begins), np.cumsum(begins) - 1)

    @property
    def count(self) -> Integers:
        """(K,) number of classes of every query."""
        return np.diff(self.first, append=self.row.size)

    def total(self, value: Floats) -> Floats:
        """(K,) sum of a (C,) value over every query."""
        total: Floats = np.add.reduceat(value, self.first)
        return total

    def largest(self, value: Floats) -> Floats:
        """(K,) largest of a (C,) value, or 0 where all are smaller, as 0 is the score of an answer nobody gave."""
        largest: Floats = np.maximum.reduceat(value, self.first)
        return largest.clip(min=0.0)


def disputed(votes: VoteMatrix, most: int, enough: int = _LEAST_VOTES) -> tuple[VoteMatrix, Flags]:
    """The votes on queries to which different answers were given, and (C,) which classes those are for.

    Of more than `most` votes only those on every second, third or further such query, as long as a source keeps
    `enough` on average. The numbers of queries and sources stay.
    """
    classes = QueryClasses.of(votes)
    queries = np.flatnonzero(classes.count > 1)
    size = np.diff(votes.class_start).astype(np.int64)
    vote_count = int(classes.total(size.astype(np.float64))[queries].sum()) if queries.size else 0
    step = max(min(-(-vote_count // most), vote_count // (enough * max(votes.source_count, 1))), 1)
    is_kept = np.zeros(classes.first.size, dtype=np.bool_)
    is_kept[queries[::step]] = True
    kept_classes = is_kept[classes.row]
    return (
        VoteMatrix(
            query_count=votes.query_count,
            source_count=votes.source_count,
            source=read_only(votes.source[np.repeat(kept_classes, size)]),
            class_start=read_only(np.concatenate(([0], np.cumsum(size[kept_classes]))).astype(np.int32)),
            class_query=read_only(votes.class_query[kept_classes]),
            class_answer=read_only(votes.class_answer[kept_classes]),
        ),
        kept_classes,
    )
