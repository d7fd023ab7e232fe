"""Pairs of sources that may copy: how much they overlap and agree on disputed queries."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from estimator.arrays.types import Flags, Floats, Indices, Integers
from estimator.votes import VoteMatrix

ALL_PAIRS_LIMIT: Final = 2_000
"""Up to this many sources every pair is counted, in tables of 16 MB."""
_MOST_VOTES: Final = 4_000_000
_MOST_PRODUCTS: Final = 1.4e10
"""Of the multiplication that counts all pairs: about a third of a second."""
_BLOCK: Final = 4_000_000
_MOST_RARE_PAIRS: Final = 20_000_000
_LEAST_CHANCE: Final = 1e-3
_DRAWS: Final = 200
"""Numbers of votes for which the overlap by chance is computed; between them it is interpolated."""
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
    smaller: Floats
    """Votes of the source that has fewer."""
    jaccard: Floats
    """Queries on which both vote, as a share of those on which either does."""
    overlap_by_chance: Floats
    """Share of the smaller source's queries on which the other votes too if it chooses queries independently."""
    prior_log_odds: Floats
    """By evidence from outside the votes."""

    def take(self, chosen: Integers | Flags) -> "Pairs":
        """The pairs at these indices, or where these flags are set."""
        return Pairs(*(getattr(self, column.name)[chosen] for column in fields(self)))

    @property
    def agreement(self) -> Floats:
        """Share of the overlap on which both vote the same; 0 without overlap."""
        return self.agreed / np.maximum(self.overlap, 1)

    def coverage_contradicts(self, share: float) -> Flags:
        """Whether the overlap is too small for a source that takes `share` of what it votes on from the other.

        A copier votes where its original does, and elsewhere only on what it adds. Two standard errors are allowed.
        Where sources vote on nearly everything, overlap says nothing.
        """
        free = np.maximum((1 - self.overlap_by_chance) * self.smaller, 1e-9)
        taken = (self.overlap - self.overlap_by_chance * self.smaller) / free
        flags: Flags = taken + 2 * np.sqrt(self.overlap_by_chance / free) < share
        return flags


def disputed_sample(votes: VoteMatrix) -> tuple[VoteMatrix, Flags]:
    """The votes on queries to which different answers were given, of many a regular part; and (C,) which classes stay.

    Unanimous queries say nothing about copying. The part is what about a third of a second allows to compare.
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
    total = np.bincount(votes.source, minlength=count).astype(np.float64)
    width = np.bincount(query, minlength=1).astype(np.float64)
    key = np.minimum(first, second) * count + np.maximum(first, second)
    given, place = np.unique(key, return_inverse=True)
    given_log_odds = np.bincount(place, prior_log_odds, minlength=given.size)
    if count <= ALL_PAIRS_LIMIT:
        overlap_table = _products(votes.source, query, count)
        agreed_table = _products(votes.source, votes.vote_class, count)
        row, column = np.triu_indices(count, 1)
        overlap, agreed = overlap_table[row, column].astype(np.float64), agreed_table[row, column].astype(np.float64)
    else:
        keys = np.union1d(_sharing_rare_answers(votes), given)
        row, column = np.divmod(keys, count)
        overlap, agreed = (_sums(votes.source, items, count, row, column) for items in (query, votes.vote_class))
    prior = np.zeros(row.size)
    prior[np.searchsorted(row * count + column, given)] = given_log_odds
    smaller = np.minimum(total[row], total[column])
    of_source = _overlap_by_chance(width, total)
    by_chance = np.maximum(of_source[row], of_source[column])
    jaccard = overlap / np.maximum(total[row] + total[column] - overlap, 1)
    return Pairs(row, column, overlap, agreed, smaller, jaccard, by_chance, prior)


def _overlap_by_chance(width: Floats, votes: Floats) -> Floats:
    """(N,) share of the votes of any source that fall on queries of a source with so many `votes` (N,), if both choose
    queries by nothing but how popular these are, at most once each; `width` (M,) is the number of votes on every query.
    """
    popularity, queries = np.unique(width[width > 0] / max(width.sum(), 1), return_counts=True)
    if not popularity.size:
        return np.full(votes.size, _LEAST_CHANCE)
    draws = np.geomspace(0.1, 20 / popularity[0], _DRAWS)
    voted = queries * -np.expm1(-np.outer(draws, popularity))
    shares: Floats = np.interp(votes, voted.sum(axis=1), voted @ popularity)
    return shares.clip(_LEAST_CHANCE, 1 - _LEAST_CHANCE)


def _products(source: Indices, item: Integers, count: int) -> NDArray[np.float32]:
    """(N, N) number of items that two sources share; `item` (V,) rises."""
    table = np.zeros((count, count), dtype=np.float32)
    width = max(_BLOCK // max(count, 1), 1)
    for begin in range(0, int(item[-1]) + 1 if item.size else 0, width):
        part = slice(*np.searchsorted(item, (begin, begin + width)))
        used, column = np.unique(item[part], return_inverse=True)
        block = np.zeros((count, used.size), dtype=np.float32)
        block[source[part], column] = 1
        table += block @ block.T
    return table


def incidence(source: Indices, item: Integers, count: int) -> sparse.csr_array:
    """(N, items) 1 where a source has an item."""
    cells = (source, item.astype(np.int32))
    return sparse.csr_array((np.ones(item.size, dtype=np.float32), cells), shape=(count, int(item.max()) + 1))


def _sharing_rare_answers(votes: VoteMatrix) -> Integers:
    """Keys `first * N + second` of pairs that share three or more answers that few sources give, rarest first."""
    supporters = np.diff(votes.class_start).astype(np.int64)
    work_up_to = np.cumsum(np.bincount(supporters, supporters * (supporters - 1)))
    most = max(int(np.searchsorted(work_up_to, _MOST_RARE_PAIRS, side="right")), 3)
    rare = ((supporters > 1) & (supporters < most))[votes.vote_class]
    if not rare.any():
        return np.zeros(0, dtype=np.int64)
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
    if not row.size:
        return np.zeros(0)
    table = incidence(source, item, count)
    step = max(_BLOCK // max(int(np.diff(table.indptr).max()), 1), 1)
    parts: list[Floats] = [
        np.asarray(table[row[begin : begin + step]].multiply(table[column[begin : begin + step]]).sum(axis=1)).ravel()
        for begin in range(0, row.size, step)
    ]
    return np.concatenate(parts).astype(np.float64)


def label_agreement(votes: VoteMatrix, most_labels: int = 10) -> Callable[[Pairs], Floats]:
    """How often each pair would agree by chance because of how often they give each label (Cohen 1960,
    doi:10.1177/001316446002000104); nearly never where answers are open.
    """
    labels = np.unique(votes.class_answer)
    if labels.size > most_labels:
        return lambda pairs: np.zeros(pairs.first.size)
    label = np.searchsorted(labels, votes.class_answer)[votes.vote_class]
    given = np.bincount(votes.source * labels.size + label, minlength=votes.source_count * labels.size)
    share = given.reshape(votes.source_count, labels.size) + 1 / labels.size
    share /= share.sum(axis=1, keepdims=True)
    return lambda pairs: np.einsum("pl,pl->p", share[pairs.first], share[pairs.second])
