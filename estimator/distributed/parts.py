"""Votes of one file in a few bytes each, laid out again block by block in every round."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.sorting import starts, unique_inverse
from estimator.arrays.types import Floats, Indices, Integers, Scalar
from estimator.arrays.vote_table import VoteTable
from estimator.distributed.values import Values
from estimator.group_votes import collapse
from estimator.votes import VoteMatrix
from estimator.wrong_answers import wrong_votes

BLOCK_VOTES: Final = 1 << 18
"""Votes of a block, but for its last query; so there are no more queries in it."""

Compact = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The P ways in which votes split into right and wrong ones, in a fixed order; all arrays are (P,).

    The probability of wrong answers is the same for all queries, or right classes, with the same pattern.
    """

    classes: Integers
    wrong: Integers
    spread: Floats
    """The spread, as in `WrongVotePartitions`."""

    @classmethod
    def union(cls, parts: list[Self]) -> Self:
        columns = (
            np.concatenate(column) for column in zip(*((p.classes, p.wrong, p.spread) for p in parts), strict=True)
        )
        classes, wrong, spread = columns
        order = np.lexsort((spread, wrong, classes))
        classes, wrong, spread = classes[order], wrong[order], spread[order]
        first = starts(classes) | starts(wrong) | starts(spread)
        return cls(classes[first], wrong[first], spread[first])

    @property
    def size(self) -> int:
        """P."""
        return self.classes.size

    def places(self, among: Self) -> Integers:
        """(P,) where these patterns are among others that hold all of them."""
        columns = ((self.classes, among.classes), (self.wrong, among.wrong), (self.spread, among.spread))
        classes, wrong, spread = (np.concatenate(both) for both in columns)
        order = np.lexsort((spread, wrong, classes))
        first = starts(classes[order]) | starts(wrong[order]) | starts(spread[order])
        place = np.empty(order.size, dtype=np.int64)
        place[order] = np.cumsum(first) - 1
        return place[: self.size]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """V votes of N sources for C classes of K queries, with sources and patterns numbered within the part.

    Votes are sorted by query, answer and source; all arrays are as small as their largest number allows.
    """

    sources: Values
    """(N,) identifiers, rising."""
    patterns: Patterns
    source: Compact
    """(V,)"""
    class_votes: Compact
    """(C,) votes of every class."""
    query_classes: Compact
    """(K,) classes of every query."""
    class_pattern: Compact
    """(C,) pattern of the query if this class is right."""
    query_pattern: Compact
    """(K,) pattern if none is."""
    edges: Integers
    """(blocks + 1, 3) where the votes, classes and queries of the blocks begin."""

    @classmethod
    def of(cls, votes: VoteMatrix, sources: Values) -> Self:
        """The votes of the sources of these identifiers (N,)."""
        table = votes.table()
        class_pattern, query_pattern, patterns = _patterns(table)
        first_vote = table.class_start[np.append(table.first_class, table.class_count)]
        queries = np.searchsorted(first_vote[:-1], np.arange(0, votes.vote_count, BLOCK_VOTES))
        queries = np.unique(np.append(queries, table.first_class.size))
        classes = np.append(table.first_class, table.class_count)[queries]
        return cls(
            sources=sources,
            patterns=patterns,
            source=_compact(table.source),
            class_votes=_compact(np.diff(table.class_start)),
            query_classes=_compact(np.diff(table.first_class, append=table.class_count)),
            class_pattern=_compact(class_pattern),
            query_pattern=_compact(query_pattern),
            edges=np.stack((first_vote[queries], classes, queries), axis=1).astype(np.int64),
        )

    @property
    def source_count(self) -> int:
        """N."""
        return len(self.sources)

    @property
    def nbytes(self) -> int:
        """Memory that the votes take."""
        arrays = (self.source, self.class_votes, self.query_classes, self.class_pattern, self.query_pattern)
        return sum(array.nbytes for array in arrays)

    def votes(self) -> VoteMatrix:
        """The votes, with classes numbered through as the answers."""
        query = np.repeat(np.arange(self.query_classes.size, dtype=np.int32), self.query_classes)
        return VoteMatrix(
            query_count=self.query_classes.size,
            source_count=self.source_count,
            source=self.source.astype(np.int32),
            class_start=_ends(self.class_votes),
            class_query=query,
            class_answer=np.arange(query.size),
        )

    def grouped(self, groups: Integers) -> tuple[Self, Integers]:
        """The votes of copy groups, given that of each source (N,), and which classes (c,) they are for."""
        present, label = np.unique(groups, return_inverse=True)
        collapsed = collapse(self.votes(), label)
        return type(self).of(collapsed, present), collapsed.class_answer

    def blocks(self) -> Iterator["PartBlock"]:
        """All queries, some at a time."""
        for begin, end in zip(self.edges[:-1].tolist(), self.edges[1:].tolist(), strict=True):
            votes, classes, queries = (slice(low, high) for low, high in zip(begin, end, strict=True))
            first_class = _ends(self.query_classes[queries])[:-1].astype(np.int64)
            class_start, query = _ends(self.class_votes[classes]), np.arange(first_class.size)
            table = VoteTable(self.source_count, self.source[votes].astype(np.int32), class_start, query, first_class)
            yield PartBlock(table, self.class_pattern[classes], self.query_pattern[queries])


@dataclass(frozen=True, slots=True, eq=False)
class PartBlock:
    table: VoteTable
    class_pattern: Compact
    query_pattern: Compact


def _patterns(table: VoteTable) -> tuple[Integers, Integers, Patterns]:
    """The number of the pattern for each class (C,), if right, and for each query (K,), if none is; and all of them."""
    classes, wrong, spread = wrong_votes(table)
    base, spreads = int(wrong.max(initial=0)) + 1, np.unique(spread)
    counts, number = unique_inverse(classes * base + wrong, (int(classes.max(initial=0)) + 1) * base)
    number *= spreads.size
    number += np.searchsorted(spreads, spread)
    keys, number = unique_inverse(number, counts.size * max(spreads.size, 1))
    count, of_spread = np.divmod(keys, max(spreads.size, 1))
    patterns = Patterns(*np.divmod(counts[count], base), spreads[of_spread])
    return number[: table.class_count], number[table.class_count :], patterns


def _compact(numbers: NDArray[Scalar]) -> Compact:
    """The same numbers of 0 or more in the smallest type that holds them."""
    smallest: Compact = numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
    return smallest


def _ends(sizes: Compact) -> Indices:
    """(n + 1,) where segments of these sizes (n,) begin, and the end."""
    ends = np.zeros(sizes.size + 1, dtype=np.int32)
    np.cumsum(sizes, out=ends[1:])
    return ends
