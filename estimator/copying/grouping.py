"""Sources that are linked, put into groups."""

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import connected_components

from estimator.copying.layout import Floats
from estimator.copying.pairs import Pairs
from estimator.votes import Integers

# Above this size a group keeps all its chains: the table of its pairs would not fit.
_CHAIN_LIMIT = 3_000


def chained(source_count: int, pairs: Pairs) -> Integers:
    """(N,) labels of sources connected by pairs over any number of steps, numbered by their first member."""
    links = sparse.coo_array((np.ones(pairs.size), (pairs.first, pairs.second)), shape=(source_count, source_count))
    return in_order(connected_components(links, directed=False)[1].astype(np.int64))


def grouped(source_count: int, pairs: Pairs, linked: Integers, share: Floats, bar: float) -> Integers:
    """(N,) labels of sources that the `linked` pairs chain together and that share `bar` with each other on average.

    `share` (P,) is NaN where a pair has nothing to compare: such a pair neither joins nor parts. Average linkage,
    because one source that takes from two others does not make these two copies of each other.
    """
    label = chained(source_count, pairs.take(linked))
    fresh = int(label.max(initial=-1)) + 1
    parts = label.copy()
    for group in np.flatnonzero(np.bincount(label, minlength=1) > 2):
        members = np.flatnonzero(label == group)
        if members.size <= _CHAIN_LIMIT:
            parts[members] = fresh + _parted(members, pairs, share, bar)
            fresh += members.size
    return in_order(parts)


def _parted(members: Integers, pairs: Pairs, share: Floats, bar: float) -> Integers:
    """Labels of the members of one chain, each by average linkage."""
    place = np.full(int(pairs.second.max()) + 1, -1)
    place[members] = np.arange(members.size)
    first, second = place[pairs.first], place[pairs.second]
    inside = np.flatnonzero((first >= 0) & (second >= 0))
    likeness = np.full((members.size, members.size), bar)
    likeness[first[inside], second[inside]] = np.where(np.isnan(share[inside]), bar, share[inside])
    distance = 1 - likeness[np.triu_indices(members.size, 1)]
    tree = hierarchy.linkage(distance, "average")
    return np.asarray(hierarchy.fcluster(tree, 1 - bar + 1e-9, "distance"), dtype=np.int64) - 1


def in_order(label: Integers) -> Integers:
    """The same groups, numbered from 0 by their first member."""
    _, first, place = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place].astype(np.int64)
