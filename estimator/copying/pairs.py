"""Pairs of sources, which of them are worth a look, and sums over what both voted on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from estimator.copying.layout import Ballots, Flags, Floats, Roll
from estimator.votes import Integers

# Up to this many sources every pair is compared: a table of all pairs is 32 MB.
ALL_PAIRS_LIMIT = 2_000
# Sparse products are made in blocks of this many terms, so that one block takes less than 200 MB.
_BLOCK_TERMS = 8_000_000
# The search for candidates looks at answers from the rarest on until it has met this many pairs of supporters, some
# two seconds of work.
_SEARCH_TERMS = 200_000_000
# One shared rare answer is no reason to compare two of 100,000 sources, and two seldom are.
_LEAST_SHARED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """P pairs of different sources, `first < second`, no pair twice."""

    first: Integers
    second: Integers

    @property
    def size(self) -> int:
        """P."""
        return self.first.size

    def take(self, chosen: Integers) -> "Pairs":
        """Some of the pairs, by place."""
        return Pairs(self.first[chosen], self.second[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """What N sources voted for, or on, laid out for multiplying with it again and again."""

    table: sparse.csr_array
    """(N, K) ones."""
    across: sparse.csr_array
    """(K, N) the same, turned."""

    @classmethod
    def of(cls, table: sparse.csr_array) -> "Incidence":
        """Turn the table."""
        return cls(table, table.T.tocsr())

    def sums(self, left: sparse.csr_array, pairs: Pairs) -> tuple[Floats, Floats]:
        """For every pair (i, j), (P,) sum of `left[i]` where j votes too, and (P,) of `left[j]` where i does."""
        terms = self._terms(left)
        if left.shape[0] <= ALL_PAIRS_LIMIT and terms.sum() < self._terms_of_pairs(left, pairs):
            table = np.vstack([(left[rows] @ self.across).toarray() for rows in blocks(terms, _BLOCK_TERMS)])
            return table[pairs.first, pairs.second], table[pairs.second, pairs.first]
        return self._row_by_row(left, pairs.first, pairs.second), self._row_by_row(left, pairs.second, pairs.first)

    def shared(self) -> Iterator[tuple[int, sparse.csr_array]]:
        """How much any two sources have in common: blocks of rows of (N, N), each with its first row."""
        for rows in blocks(self._terms(self.table), _BLOCK_TERMS):
            yield rows.start, self.table[rows] @ self.across

    def _terms(self, left: sparse.csr_array) -> Floats:
        """(N,) how many products every row of `left @ across` takes."""
        total = np.concatenate(([0], np.cumsum(np.diff(self.across.indptr)[left.indices], dtype=np.int64)))
        terms: Floats = (total[left.indptr[1:]] - total[left.indptr[:-1]]).astype(np.float64)
        return terms

    def _terms_of_pairs(self, left: sparse.csr_array, pairs: Pairs) -> float:
        size = np.diff(left.indptr) + np.diff(self.table.indptr)
        return float(size[pairs.first].sum() + size[pairs.second].sum())

    def _row_by_row(self, left: sparse.csr_array, first: Integers, second: Integers) -> Floats:
        """The same for few pairs of many sources."""
        cost = (np.diff(left.indptr)[first] + np.diff(self.table.indptr)[second]).astype(np.float64)
        parts = [
            np.asarray(left[first[block]].multiply(self.table[second[block]]).sum(axis=1)).ravel()
            for block in blocks(cost, _BLOCK_TERMS)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)


def candidates(roll: Roll, ballots: Ballots) -> Pairs:
    """Pairs that could depend on each other: all of few sources, else those that share several rare answers to
    queries that are disputed.
    """
    source_count = roll.votes.source_count
    if source_count <= ALL_PAIRS_LIMIT:
        first, second = np.triu_indices(source_count, 1)
        return Pairs(first.astype(np.int64), second.astype(np.int64))
    rare = roll.only(_rare_and_disputed(roll, ballots)[roll.klass])
    said = Incidence.of(rare.by_class(np.ones(rare.klass.size)))
    found = [_above_diagonal(block, offset) for offset, block in said.shared()]
    return Pairs(np.concatenate([first for first, _ in found]), np.concatenate([second for _, second in found]))


def _rare_and_disputed(roll: Roll, ballots: Ballots) -> Flags:
    """(C,) the classes through which candidates are searched."""
    supporters = np.diff(roll.votes.class_start).astype(np.int64)
    met = np.where(ballots.rivals[ballots.row] > 1, supporters * (supporters - 1), 0)
    terms_up_to = np.cumsum(np.bincount(supporters, met))
    rarest = int(np.searchsorted(terms_up_to, _SEARCH_TERMS, side="right"))
    chosen: Flags = (met > 0) & (supporters < max(rarest, 3))
    return chosen


def _above_diagonal(block: sparse.csr_array, offset: int) -> tuple[Integers, Integers]:
    entries = block.tocoo()
    first = entries.row.astype(np.int64) + offset
    second = entries.col.astype(np.int64)
    kept = (entries.data >= _LEAST_SHARED) & (first < second)
    return first[kept], second[kept]


def blocks(cost: Floats, most: float) -> Iterator[slice]:
    """Consecutive elements that together cost no more than `most`, or a single one that does."""
    total = np.cumsum(cost)
    begin = 0
    while begin < cost.size:
        spent = total[begin - 1] if begin else 0.0
        end = max(int(np.searchsorted(total, spent + most, side="right")), begin + 1)
        yield slice(begin, end)
        begin = end
