"""Pairs of sources that may copy: how much they overlap and agree on disputed queries."""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from estimator.arrays.types import Flags, Floats, Indices, Integers
from estimator.votes import VoteMatrix

# Bounds of time and memory, not of judgement.
ALL_PAIRS_LIMIT: Final = 2_000
"""Up to this many sources every pair is counted, in tables of 16 MB."""
_MOST_VOTES: Final = 4_000_000
_MOST_PRODUCTS: Final = 1e10
"""Of the multiplication that counts all pairs: about a quarter of a second."""
_MOST_RARE_PAIRS: Final = 20_000_000
_SOURCES_AT_ONCE: Final = 4_000
_LEAST_RARE: Final = 3
"""Among 100,000 sources, many pairs share one or two rare answers by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """P pairs of sources, `first < second`, no pair twice; all arrays are (P,)."""

    first: Integers
    second: Integers
    overlap: Floats
    """Queries on which both vote."""
    agreed: Floats
    """Queries on which both vote the same."""
    jaccard: Floats
    """Queries on which both vote, as a share of those on which either does."""
    prior_log_odds: Floats
    """By evidence from outside the votes."""

    def take(self, chosen: Integers | Flags) -> "Pairs":
        """The pairs at these indices, or where these flags are set."""
        return Pairs(*(getattr(self, column.name)[chosen] for column in fields(self)))

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
    disputed = np.flatnonzero(classes > 1)
    few_sources = votes.source_count <= ALL_PAIRS_LIMIT
    most_classes = _MOST_PRODUCTS / max(votes.source_count, 1) ** 2 if few_sources else np.inf
    step = int(np.ceil(max(vote_counts[disputed].sum() / _MOST_VOTES, classes[disputed].sum() / most_classes, 1)))
    chosen = np.zeros(votes.query_count, dtype=np.bool_)
    chosen[disputed[::step]] = True
    return votes.of_queries(chosen)


def count_pairs(votes: VoteMatrix, first: Integers, second: Integers, prior_log_odds: Floats) -> Pairs:
    """The pairs of sources that may copy, and those given with evidence from outside the votes, counted."""
    count, query = votes.source_count, votes.class_query[votes.vote_class].astype(np.int64)
    key = np.minimum(first, second) * count + np.maximum(first, second)
    given, place = np.unique(key, return_inverse=True)
    if count <= ALL_PAIRS_LIMIT:
        row, column = np.triu_indices(count, 1)
        overlap, agreed = (
            _products(votes.source, item, count)[row, column].astype(np.float64) for item in (query, votes.vote_class)
        )
    else:
        row, column = np.divmod(np.union1d(_sharing_rare_answers(votes), given), count)
        overlap, agreed = (_sums(votes.source, item, count, row, column) for item in (query, votes.vote_class))
    prior = np.zeros(row.size)
    prior[np.searchsorted(row * count + column, given)] = np.bincount(place, prior_log_odds, minlength=given.size)
    total = np.bincount(votes.source, minlength=count)
    jaccard = overlap / np.maximum(total[row] + total[column] - overlap, 1)
    return Pairs(row, column, overlap, agreed, jaccard, prior)


def _products(source: Indices, item: Integers, count: int) -> NDArray[np.float32]:
    """(N, N) number of items that two sources share; `item` (V,) rises."""
    table = np.zeros((count, count), dtype=np.float32)
    width = max(_MOST_VOTES // max(count, 1), 1)
    for begin in range(0, int(item.max(initial=-1)) + 1, width):
        part = slice(*np.searchsorted(item, (begin, begin + width)))
        used, column = np.unique(item[part], return_inverse=True)
        block = np.zeros((count, used.size), dtype=np.float32)
        block[source[part], column] = 1
        table += block @ block.T
    return table


def incidence(source: Indices, item: Integers, count: int) -> sparse.csr_array:
    """(N, items) 1 where a source has an item."""
    cells = (source, item.astype(np.int32))
    return sparse.csr_array((np.ones(item.size, dtype=np.float32), cells), shape=(count, int(item.max(initial=0)) + 1))


def _sharing_rare_answers(votes: VoteMatrix) -> Integers:
    """Keys `first * N + second` of pairs that share several answers that few sources give, rarest first."""
    supporters = np.diff(votes.class_start).astype(np.int64)
    work_up_to = np.cumsum(np.bincount(supporters, supporters * (supporters - 1)))
    most = max(int(np.searchsorted(work_up_to, _MOST_RARE_PAIRS, side="right")), 3)
    rare = ((supporters > 1) & (supporters < most))[votes.vote_class]
    count = votes.source_count
    table = incidence(votes.source[rare], votes.vote_class[rare], count)
    transposed, keys = table.T.tocsr(), []
    for begin in range(0, count, _SOURCES_AT_ONCE):
        shared = (table[begin : begin + _SOURCES_AT_ONCE] @ transposed).tocoo()
        row = shared.row.astype(np.int64) + begin
        likely = (shared.data >= _LEAST_RARE) & (shared.col > row)
        keys.append(np.sort(row[likely] * count + shared.col[likely]))
    return np.concatenate(keys)


def _sums(source: Indices, item: Integers, count: int, row: Integers, column: Integers) -> Floats:
    """(P,) items shared by each pair, for few pairs of many sources."""
    table = incidence(source, item, count)
    step = max(_MOST_VOTES // max(int(np.diff(table.indptr).max(initial=0)), 1), 1)
    parts = [
        np.asarray(table[row[begin : begin + step]].multiply(table[column[begin : begin + step]]).sum(axis=1)).ravel()
        for begin in range(0, row.size, step)
    ]
    return np.concatenate([np.zeros(0), *parts])


def label_agreement(votes: VoteMatrix, pairs: Pairs, most_labels: int) -> Floats:
    """(P,) how often each pair would agree by chance because of how often they give each label (Cohen 1960,
    doi:10.1177/001316446002000104); 0 where answers are open.
    """
    labels = np.unique(votes.class_answer)
    if labels.size > most_labels:
        return np.zeros(pairs.first.size)
    label = np.searchsorted(labels, votes.class_answer)[votes.vote_class]
    given = np.bincount(votes.source * labels.size + label, minlength=votes.source_count * labels.size)
    share = given.reshape(votes.source_count, labels.size) + 1 / labels.size
    share /= share.sum(axis=1, keepdims=True)
    chance: Floats = np.einsum("pl,pl->p", share[pairs.first], share[pairs.second])
    return chance
