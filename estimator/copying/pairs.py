"""Candidate pairs of sources, and sums over what both of a pair voted on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from estimator.arrays.types import Flags, Floats, Integers
from estimator.copying.layout import QueryClasses, SourceVotes
from estimator.votes import VoteMatrix

# Up to this many sources every pair is compared: a table of all pairs is 32 MB.
ALL_PAIRS_LIMIT = 2_000
# Sparse products are computed in blocks of this many terms, so that one block takes less than 200 MB.
_BLOCK_TERMS = 8_000_000
# The search for candidates takes answers from the rarest on, up to this many pairs of supporters: about two seconds.
_SEARCH_TERMS = 200_000_000
# Among 100,000 sources, many pairs share one or two rare answers by chance.
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
        """The pairs at these indices."""
        return Pairs(self.first[chosen], self.second[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """What N sources voted for, or on, laid out for repeated multiplication."""

    table: sparse.csr_array
    """(N, K) ones."""
    transposed: sparse.csr_array
    """(K, N) the same."""

    @classmethod
    def of(cls, table: sparse.csr_array) -> "Incidence":
        """Transpose the table."""
        return cls(table, table.T.tocsr())

    def sums(self, left: sparse.csr_array, pairs: Pairs) -> tuple[Floats, Floats]:
        """For every pair (i, j), (P,) sum of `left[i]` where j votes too, and (P,) of `left[j]` where i does."""
        terms = self._terms(left)
        if left.shape[0] <= ALL_PAIRS_LIMIT and terms.sum() < self._terms_of_pairs(left, pairs):
            table = np.vstack([(left[rows] @ self.transposed).toarray() for rows in blocks(terms, _BLOCK_TERMS)])
            return table[pairs.first, pairs.second], table[pairs.second, pairs.first]
        return self._row_by_row(left, pairs.first, pairs.second), self._row_by_row(left, pairs.second, pairs.first)

    def shared(self) -> Iterator[tuple[int, sparse.csr_array]]:
        """How much any two sources have in common, (N, N) in blocks of rows, each with its first row."""
        for rows in blocks(self._terms(self.table), _BLOCK_TERMS):
            yield rows.start, self.table[rows] @ self.transposed

    def _terms(self, left: sparse.csr_array) -> Floats:
        """(N,) how many products every row of `left @ transposed` takes."""
        total = np.concatenate(([0], np.cumsum(np.diff(self.transposed.indptr)[left.indices], dtype=np.int64)))
        terms: Floats = (total[left.indptr[1:]] - total[left.indptr[:-1]]).astype(np.float64)
        return terms

    def _terms_of_pairs(self, left: sparse.csr_array, pairs: Pairs) -> float:
        size = np.diff(left.indptr) + np.diff(self.table.indptr)
        return float(size[pairs.first].sum() + size[pairs.second].sum())

    def _row_by_row(self, left: sparse.csr_array, first: Integers, second: Integers) -> Floats:
        """The sums for one direction, for few pairs of many sources."""
        cost = (np.diff(left.indptr)[first] + np.diff(self.table.indptr)[second]).astype(np.float64)
        parts = [
            np.asarray(left[first[block]].multiply(self.table[second[block]]).sum(axis=1)).ravel()
            for block in blocks(cost, _BLOCK_TERMS)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)


def candidate_pairs(source_votes: SourceVotes, classes: QueryClasses) -> Pairs:
    """Pairs that could copy: all pairs of up to 2,000 sources, else those that share three or more rare answers to
    disputed queries.
    """
    source_count = source_votes.votes.source_count
    if source_count <= ALL_PAIRS_LIMIT:
        first, second = np.triu_indices(source_count, 1)
        return Pairs(first.astype(np.int64), second.astype(np.int64))
    rare = source_votes.subset(_rare_and_disputed(source_votes.votes, classes)[source_votes.vote_class])
    voted_for = Incidence.of(rare.by_class(np.ones(rare.vote_class.size)))
    pairs = [_above_diagonal(block, offset) for offset, block in voted_for.shared()]
    return Pairs(np.concatenate([first for first, _ in pairs]), np.concatenate([second for _, second in pairs]))


def _rare_and_disputed(votes: VoteMatrix, classes: QueryClasses) -> Flags:
    """(C,) the classes through which candidates are searched."""
    supporters = np.diff(votes.class_start).astype(np.int64)
    terms = np.where(classes.count[classes.row] > 1, supporters * (supporters - 1), 0)
    terms_up_to = np.cumsum(np.bincount(supporters, terms))
    limit = int(np.searchsorted(terms_up_to, _SEARCH_TERMS, side="right"))
    chosen: Flags = (terms > 0) & (supporters < max(limit, 3))
    return chosen


def _above_diagonal(block: sparse.csr_array, offset: int) -> tuple[Integers, Integers]:
    entries = block.tocoo()
    first = entries.row.astype(np.int64) + offset
    second = entries.col.astype(np.int64)
    kept = (entries.data >= _LEAST_SHARED) & (first < second)
    return first[kept], second[kept]


def blocks(cost: Floats, most: float) -> Iterator[slice]:
    """Slices of consecutive elements that together cost no more than `most`, or of a single one that costs more."""
    total = np.cumsum(cost)
    begin = 0
    while begin < cost.size:
        spent = total[begin - 1] if begin else 0.0
        end = max(int(np.searchsorted(total, spent + most, side="right")), begin + 1)
        yield slice(begin, end)
        begin = end
