"""Some whole queries of a ballot, few enough for what is computed of them to stay in the cache."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from estimator.arrays.segment_maxima import Ladder, runs
from estimator.arrays.sorting import starts
from estimator.policies import TiePolicy

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Places = NDArray[np.int32]

# Two or three arrays of a block fit the second-level cache, and calls on it take longer than calling.
_VOTES: Final = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """k queries with c classes, at these places among all; classes and queries are numbered from 0 here."""

    rows: slice
    classes: slice
    incidence: sparse.csr_array
    """(c, N) 1 where a source voted for a class; a product with it is the fastest way to add votes up."""
    ladder: Ladder

    def choose(self, score: Floats, slack: Floats, ties: TiePolicy) -> tuple[Integers, Flags, Floats]:
        """(k,) the class of the largest score (c,) of every query, -1 for none; whether others come up to `slack` (k,)
        close; and the largest score of the others.
        """
        winner, second = self.ladder.two_largest(score)
        least = score[winner] - slack
        tied = second >= least
        if tied.any() and ties is not TiePolicy.NO_ANSWER:
            winner[tied] = self._of_tied(np.flatnonzero(tied), score, least, ties)
        elif ties is TiePolicy.NO_ANSWER:
            winner[tied] = -1
        return winner, tied, second

    def _of_tied(self, rows: Integers, score: Floats, least: Floats, ties: TiePolicy) -> Integers:
        """The first of the classes with `least` (k,) or more in these rows, or of those that have most supporters."""
        size = self.ladder.size[rows]
        classes, row = runs(self.ladder.first[rows], size), np.repeat(np.arange(rows.size), size)
        heaviest = score[classes] >= least[rows][row]
        classes, row = classes[heaviest], row[heaviest]
        begins = starts(row)
        if ties is TiePolicy.SUPPORTERS:
            supporters = np.diff(self.incidence.indptr)[classes]
            most = supporters == np.maximum.reduceat(supporters, np.flatnonzero(begins))[row]
            classes, begins = classes[most], starts(row[most])
        return classes[begins]


def blocks(source: Places, class_start: Places, first: Integers, source_count: int) -> Iterator[Block]:
    """The blocks of V votes of C classes; the queries begin with the classes `first` (K,)."""
    step = max(_VOTES, source_count)  # each block adds to an array of the sources
    cuts = np.searchsorted(class_start[first], np.arange(0, source.size, step))
    edges = np.unique(np.append(cuts, first.size))
    start = np.append(first, class_start.size - 1)[edges]
    ones = np.ones(int(np.diff(class_start[start]).max(initial=0)))
    for low, high, bottom, top in zip(edges[:-1], edges[1:], start[:-1], start[1:], strict=True):
        votes = slice(int(class_start[bottom]), int(class_start[top]))
        ends, shape = class_start[bottom : top + 1] - class_start[bottom], (int(top - bottom), source_count)
        one = sparse.csr_array((ones[: votes.stop - votes.start], source[votes], ends), shape=shape)
        ladder = Ladder.of(first[low:high] - bottom, shape[0])
        yield Block(slice(int(low), int(high)), slice(int(bottom), int(top)), one, ladder)
