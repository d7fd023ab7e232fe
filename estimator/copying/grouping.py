"""Copy groups from links between pairs: connected components, cut by average linkage."""

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import connected_components

from estimator.arrays.types import Floats, Integers
from estimator.copying.pairs import Pairs

# Above this size a component is not cut: the table of its pairs would not fit.
_CUT_LIMIT = 3_000


def connected(source_count: int, pairs: Pairs) -> Integers:
    """(N,) labels of the connected components, numbered by their first member."""
    links = sparse.coo_array((np.ones(pairs.size), (pairs.first, pairs.second)), shape=(source_count, source_count))
    return renumbered(connected_components(links, directed=False)[1].astype(np.int64))


def grouped(source_count: int, pairs: Pairs, linked: Integers, share: Floats, threshold: float) -> Integers:
    """(N,) labels of sources that the `linked` pairs connect and that share `threshold` with each other on average.

    `share` (P,) is NaN for a pair without evidence, which counts as the threshold. Average linkage, because a source
    that copies two others does not make these two copies of each other.
    """
    label = connected(source_count, pairs.take(linked))
    unused = int(label.max(initial=-1)) + 1
    groups = label.copy()
    for component in np.flatnonzero(np.bincount(label, minlength=1) > 2):
        members = np.flatnonzero(label == component)
        if members.size <= _CUT_LIMIT:
            groups[members] = unused + _cut(members, pairs, share, threshold)
            unused += members.size
    return renumbered(groups)


def _cut(members: Integers, pairs: Pairs, share: Floats, threshold: float) -> Integers:
    """Labels of the members of one component, by average linkage."""
    place = np.full(int(pairs.second.max()) + 1, -1)
    place[members] = np.arange(members.size)
    first, second = place[pairs.first], place[pairs.second]
    inside = np.flatnonzero((first >= 0) & (second >= 0))
    similarity = np.full((members.size, members.size), threshold)
    similarity[first[inside], second[inside]] = np.where(np.isnan(share[inside]), threshold, share[inside])
    distance = 1 - similarity[np.triu_indices(members.size, 1)]
    tree = hierarchy.linkage(distance, "average")
    return np.asarray(hierarchy.fcluster(tree, 1 - threshold + 1e-9, "distance"), dtype=np.int64) - 1


def renumbered(label: Integers) -> Integers:
    """The same groups, numbered from 0 by their first member."""
    _, first, place = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place].astype(np.int64)
