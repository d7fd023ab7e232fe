"""Some whole queries of a vote table, few enough for what is computed of them to stay in the cache."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import sparse

from estimator.arrays.segment_maxima import Segments, concatenated_ranges
from estimator.arrays.sorting import starts
from estimator.arrays.types import Flags, Floats, Indices, Integers
from estimator.policies import TiePolicy

# Two or three arrays of a block fit the second-level cache, and the arithmetic on them outweighs the calls.
_VOTES: Final = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """k queries with c classes; inside the block both are numbered from 0."""

    rows: slice
    """Position of its queries among all."""
    classes: slice
    """Position of its classes among all."""
    incidence: sparse.csr_array
    """(c, N) 1 where a source voted for a class; a product with it is the fastest way to add votes up."""
    segments: Segments

    def choose(self, score: Floats, tolerance: Floats, ties: TiePolicy) -> tuple[Integers, Flags, Floats]:
        """The class of the largest score (c,) of every query, (k,), -1 for none; whether another one is within
        `tolerance` (k,) of it; and the largest score of the others.
        """
        winner, second = self.segments.two_largest(score)
        least = score[winner] - tolerance
        tied = second >= least
        if tied.any() and ties is not TiePolicy.NO_ANSWER:
            winner[tied] = self._break_ties(np.flatnonzero(tied), score, least, ties)
        elif ties is TiePolicy.NO_ANSWER:
            winner[tied] = -1
        return winner, tied, second

    def _break_ties(self, rows: Integers, score: Floats, least: Floats, ties: TiePolicy) -> Integers:
        """The first of the classes with a score of `least` (k,) or more, or of those among them with most votes."""
        size = self.segments.size[rows]
        classes, row = concatenated_ranges(self.segments.first[rows], size), np.repeat(np.arange(rows.size), size)
        heaviest = score[classes] >= least[rows][row]
        classes, row = classes[heaviest], row[heaviest]
        begins = starts(row)
        if ties is TiePolicy.SUPPORTERS:
            supporters = np.diff(self.incidence.indptr)[classes]
            most = supporters == np.maximum.reduceat(supporters, np.flatnonzero(begins))[row]
            classes, begins = classes[most], starts(row[most])
        return classes[begins]


def query_blocks(source: Indices, class_start: Indices, first_class: Integers, source_count: int) -> Iterator[Block]:
    """Cut V votes of C classes into blocks; the K queries begin with the classes `first_class`."""
    step = max(_VOTES, source_count)  # each block adds to an array of the sources
    cuts = np.searchsorted(class_start[first_class], np.arange(0, source.size, step))
    edges = np.unique(np.append(cuts, first_class.size))
    start = np.append(first_class, class_start.size - 1)[edges]
    ones = np.ones(int(np.diff(class_start[start]).max(initial=0)))
    for low, high, bottom, top in zip(edges[:-1], edges[1:], start[:-1], start[1:], strict=True):
        votes = slice(int(class_start[bottom]), int(class_start[top]))
        ends, shape = class_start[bottom : top + 1] - class_start[bottom], (int(top - bottom), source_count)
        incidence = sparse.csr_array((ones[: votes.stop - votes.start], source[votes], ends), shape=shape)
        segments = Segments.of(first_class[low:high] - bottom, shape[0])
        yield Block(slice(int(low), int(high)), slice(int(bottom), int(top)), incidence, segments)
