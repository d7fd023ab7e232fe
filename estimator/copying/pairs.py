"""Pairs of sources that may copy: how much they overlap and agree on disputed queries, and who published first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import betainc

from estimator.arrays.sorting import starts
from estimator.arrays.types import Flags, Floats, Indices, Integers
from estimator.errors import EstimatorError
from estimator.votes import MOST_LABELS, VoteMatrix

# Bounds of time and memory, not of judgement.
ALL_PAIRS_LIMIT: Final = 2_000
"""Up to this many sources every pair is counted, in tables of 16 MB."""
_MOST_VOTES: Final = 4_000_000
_MOST_VOTES_OF_SOURCE: Final = 5_000
_MOST_PRODUCTS: Final = 1e10
"""Most products of the multiplication that counts all pairs: about a quarter of a second."""
_MOST_RARE_PAIRS: Final = 20_000_000
_SOURCES_AT_ONCE: Final = 4_000


@dataclass(frozen=True, slots=True, eq=False)
class PriorEvidence:
    """Pairs of sources, in any order, with log odds by which something outside the votes says that one copies.

    >>> evidence = PriorEvidence(first=[0], second=[3], log_odds=[2.5])
    """

    first: ArrayLike
    second: ArrayLike
    log_odds: ArrayLike

    def matrix(self, source_count: int) -> sparse.csr_array:
        """(N, N) sums of the log odds of each pair, above the diagonal. Raises EstimatorError for columns of different
        lengths and pairs that are not two different ones of the sources.
        """
        first, second = (np.asarray(side, dtype=np.int64) for side in (self.first, self.second))
        log_odds = np.asarray(self.log_odds, dtype=np.float64)
        if not first.shape == second.shape == log_odds.shape or first.ndim != 1:
            raise EstimatorError("prior evidence has as many first sources as second ones and log odds")
        low, high = np.minimum(first, second), np.maximum(first, second)
        if (low == high).any() or (low < 0).any() or (high >= source_count).any():
            raise EstimatorError(f"prior evidence is about pairs of different sources from 0 to {source_count - 1}")
        return sparse.csr_array((log_odds, (low, high)), shape=(source_count, source_count))


class Pairs(NamedTuple):
    """P pairs of sources, `first < second`, no pair twice; all arrays are (P,). Both vote on `overlap` queries, on
    `agreed` of them the same; `jaccard` is the overlap as a share of the queries with a vote of either.
    """

    first: Integers
    second: Integers
    overlap: Floats
    agreed: Floats
    jaccard: Floats
    prior_log_odds: Floats

    def take(self, chosen: Integers | Flags) -> "Pairs":
        """The pairs at these indices, or where these flags are set."""
        return Pairs._make(column[chosen] for column in self)

    @property
    def agreement(self) -> Floats:
        """Share of the overlap on which both vote the same; 0 without overlap."""
        return self.agreed / np.maximum(self.overlap, 1)


def disputed_sample(votes: VoteMatrix) -> tuple[VoteMatrix, Flags]:
    """The votes on queries to which different answers were given, of many a regular part; and (C,) which classes stay.

    Unanimous queries say nothing about copying. The part is what about a quarter of a second allows to compare.
    """
    classes = np.bincount(votes.class_query, minlength=votes.query_count)
    vote_counts = np.bincount(votes.class_query, np.diff(votes.class_start), minlength=votes.query_count)
    disputed, count = classes > 1, votes.source_count
    products = classes[disputed].sum() * count**2 * (count <= ALL_PAIRS_LIMIT)
    most = min(_MOST_VOTES, _MOST_VOTES_OF_SOURCE * max(count, 1))
    step = np.ceil(max(vote_counts[disputed].sum() / most, products / _MOST_PRODUCTS, 1))
    return votes.of_queries(disputed & ((np.cumsum(disputed) - 1) % step == 0))


def count_pairs(votes: VoteMatrix, prior_log_odds: sparse.csr_array) -> Pairs:
    """The pairs of sources that may copy, and those with prior log odds (N, N), counted."""
    count, query = votes.source_count, np.cumsum(starts(votes.class_query)) - 1
    tables = [incidence(votes.source, item, count) for item in (query[votes.vote_class], votes.vote_class)]
    if count <= ALL_PAIRS_LIMIT:
        first, second = np.triu_indices(count, 1)
        overlap, agreed = (_all_products(table)[first, second].astype(np.float64) for table in tables)
    else:
        suspected = prior_log_odds.tocoo()
        key = np.union1d(_sharing_rare_answers(votes), suspected.row.astype(np.int64) * count + suspected.col)
        first, second = np.divmod(key, count)
        overlap, agreed = (
            np.concatenate([a.multiply(b).sum(axis=1) for a, b in _rows_of_pairs(table, first, second)], dtype=float)
            for table in tables
        )
    votes_of = np.bincount(votes.source, minlength=count)
    jaccard = overlap / np.maximum(votes_of[first] + votes_of[second] - overlap, 1)
    return Pairs(first, second, overlap, agreed, jaccard, prior_log_odds[first, second] if first.size else np.zeros(0))


def incidence(source: Indices, item: Integers, count: int, value: ArrayLike = 1) -> sparse.csr_array:
    """(N, items) the value of every item that a source has, 0 elsewhere."""
    values = np.broadcast_to(np.asarray(value, dtype=np.float32), item.shape)
    return sparse.csr_array((values, (source, item.astype(np.int32))), shape=(count, int(item.max(initial=0)) + 1))


def _rows_of_pairs(table: sparse.csr_array, *pairs: Integers) -> Iterator[list[sparse.csr_array]]:
    """The rows of the first and of the second of each pair, some pairs at a time."""
    step = max(_MOST_VOTES // max(int(np.diff(table.indptr).max(initial=0)), 1), 1)
    for begin in range(0, max(pairs[0].size, 1), step):
        yield [table[side[begin : begin + step]] for side in pairs]


def _all_products(table: sparse.csr_array) -> NDArray[np.float32]:
    """(N, N) sums over the columns of the products of two rows; dense blocks are many times faster than sparse ones."""
    columns, width = table.tocsc(), max(_MOST_VOTES // max(table.shape[0], 1), 1)
    blocks = (columns[:, begin : begin + width].toarray() for begin in range(0, table.shape[1], width))
    return sum((block @ block.T for block in blocks), np.zeros((table.shape[0],) * 2, dtype=np.float32))


def _sharing_rare_answers(votes: VoteMatrix) -> Integers:
    """Keys `first * N + second` of pairs that share more than one answer that few sources give, rarest first."""
    supporters, count = np.diff(votes.class_start).astype(np.int64), votes.source_count
    work_up_to = np.cumsum(np.bincount(supporters, supporters * (supporters - 1)))
    most = max(int(np.searchsorted(work_up_to, _MOST_RARE_PAIRS, side="right")), 3)
    rare = ((supporters > 1) & (supporters < most))[votes.vote_class]
    table = incidence(votes.source[rare], votes.vote_class[rare], count)
    transposed, keys = table.T.tocsr(), []
    for begin in range(0, count, _SOURCES_AT_ONCE):
        shared = (table[begin : begin + _SOURCES_AT_ONCE] @ transposed).tocoo()
        key = (shared.row.astype(np.int64) + begin) * count + shared.col
        keys.append(key[(shared.data > 1) & (shared.col > shared.row + begin)])
    return np.concatenate(keys)


def label_agreement(votes: VoteMatrix, pairs: Pairs) -> Floats:
    """(P,) how often each pair would agree by chance because of how often they give each label (Cohen 1960,
    doi:10.1177/001316446002000104); 0 where answers are open.
    """
    labels = np.unique(votes.class_answer)
    if labels.size > MOST_LABELS:
        return np.zeros(pairs.first.size)
    label = np.searchsorted(labels, votes.class_answer)[votes.vote_class]
    share = incidence(votes.source, label, votes.source_count).toarray() + 1 / labels.size
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("pl,pl->p", share[pairs.first], share[pairs.second]))


def publication_order(votes: VoteMatrix, time: Floats, pairs: Pairs) -> Floats:
    """Log odds (P,) that the second of each pair copied the first and not the reverse, 0 without times; `time` is (V,),
    NaN where unknown.

    The share of the same answers that the second published later has an even prior over [0, 1]; the log odds are those
    of more than half.
    """
    dated = ~np.isnan(time)
    rank = 1 + np.unique(time[dated], return_inverse=True)[1]
    table, counts = incidence(votes.source[dated], votes.vote_class[dated], votes.source_count, rank), []
    for first, second in _rows_of_pairs(table, pairs.first, pairs.second):
        lag = (second - first).multiply(first.astype(np.bool_)).multiply(second.astype(np.bool_))
        counts.append([(lag > 0).sum(axis=1), (lag < 0).sum(axis=1)])
    later, earlier = 1 + np.concatenate(counts, axis=1)
    return np.asarray(np.log(betainc(earlier, later, 0.5).clip(1e-300) / betainc(later, earlier, 0.5).clip(1e-300)))
