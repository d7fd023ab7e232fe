"""Votes laid out for comparing sources: by source, and their classes by query."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from estimator.votes import Integers, VoteMatrix, read_only, starts

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_ENOUGH = 500


@dataclass(frozen=True, slots=True, eq=False)
class Roll:
    """The V votes of N sources, ordered by source and then query."""

    votes: VoteMatrix
    start: Integers
    """(N + 1,) first vote of every source."""
    source: Integers
    """(V,)"""
    klass: Integers
    """(V,) which (query, answer) class of the matrix the vote is for."""
    query: Integers
    """(V,)"""
    position: Integers
    """(V,) place of the vote in the matrix."""

    @classmethod
    def of(cls, votes: VoteMatrix) -> Self:
        """Order the votes by source."""
        position = np.argsort(votes.source, kind="stable")
        source = votes.source[position].astype(np.int64)
        klass = class_of_votes(votes)[position]
        return cls(
            votes=votes,
            start=np.searchsorted(source, np.arange(votes.source_count + 1)).astype(np.int64),
            source=source,
            klass=klass,
            query=votes.class_query[klass].astype(np.int64),
            position=position,
        )

    def only(self, chosen: Flags) -> "Roll":
        """The same sources with some of their votes, (V,) flags."""
        kept = np.flatnonzero(chosen)
        start = np.searchsorted(kept, self.start)
        return Roll(self.votes, start, self.source[kept], self.klass[kept], self.query[kept], self.position[kept])

    def by_class(self, value: Floats) -> sparse.csr_array:
        """(N, C) one number (V,) for every vote."""
        shape = (self.votes.source_count, self.votes.class_count)
        return sparse.csr_array((value, self.klass, self.start), shape=shape)

    def by_query(self, value: Floats) -> sparse.csr_array:
        """(N, M) one number (V,) for every vote."""
        shape = (self.votes.source_count, self.votes.query_count)
        return sparse.csr_array((value, self.query, self.start), shape=shape)


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """Which of C classes compete with each other: those of one of K queries with votes."""

    first: Integers
    """(K,) first class of each query."""
    row: Integers
    """(C,) query, as a place in `first`, of every class."""

    @classmethod
    def of(cls, votes: VoteMatrix) -> Self:
        """The queries that have votes."""
        begins = starts(votes.class_query)
        return cls(np.flatnonzero(begins), np.cumsum(begins) - 1)

    @property
    def rivals(self) -> Integers:
        """(K,) different answers to every query."""
        return np.diff(self.first, append=self.row.size)

    def total(self, value: Floats) -> Floats:
        """(K,) sum of a (C,) value over every query."""
        added: Floats = np.add.reduceat(value, self.first)
        return added

    def top(self, value: Floats) -> Floats:
        """(K,) largest of a (C,) value, or 0 where all are smaller, as 0 is the score of an answer nobody gave."""
        largest: Floats = np.maximum.reduceat(value, self.first)
        return largest.clip(min=0.0)


def disputed(votes: VoteMatrix, most: int, enough: int = _ENOUGH) -> tuple[VoteMatrix, Flags]:
    """The votes on queries to which different answers were given, and (C,) which classes those are for.

    Of more than `most` votes only those on every second, third or further such query, as long as a source keeps
    `enough` on average. The numbers of queries and sources stay.
    """
    ballots = Ballots.of(votes)
    chosen = np.flatnonzero(ballots.rivals > 1)
    size = np.diff(votes.class_start).astype(np.int64)
    cast = int(ballots.total(size.astype(np.float64))[chosen].sum()) if chosen.size else 0
    step = max(min(-(-cast // most), cast // (enough * max(votes.source_count, 1))), 1)
    kept = np.zeros(ballots.first.size, dtype=np.bool_)
    kept[chosen[::step]] = True
    classes = kept[ballots.row]
    cast_there = np.repeat(classes, size)
    return (
        VoteMatrix(
            query_count=votes.query_count,
            source_count=votes.source_count,
            source=read_only(votes.source[cast_there]),
            class_start=read_only(np.concatenate(([0], np.cumsum(size[classes]))).astype(np.int32)),
            class_query=read_only(votes.class_query[classes]),
            class_answer=read_only(votes.class_answer[classes]),
        ),
        classes,
    )


def class_of_votes(votes: VoteMatrix) -> Integers:
    """(V,) class of every vote, in the order of the matrix."""
    return np.repeat(np.arange(votes.class_count), np.diff(votes.class_start))
