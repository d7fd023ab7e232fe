"""Copy groups from pairs: connected components, cut by average linkage."""

from typing import Final

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import connected_components

from estimator.arrays.types import Flags, Floats, Integers
from estimator.copying.pairs import Pairs

_CUT_LIMIT: Final = 3_000
"""Above this size a component is not cut: the table of its pairs would not fit."""


def linked_groups(source_count: int, pairs: Pairs, linked: Flags, share: Floats, least: float) -> Integers:
    """(N,) labels of the sources that the `linked` pairs connect and that share `least` with each other on average.

    `share` is (P,); a pair that is not among the pairs shares nothing. Average linkage, because a source that copies
    two others does not make these two copies of each other.
    """
    links = (np.ones(np.count_nonzero(linked)), (pairs.first[linked], pairs.second[linked]))
    graph = sparse.coo_array(links, shape=(source_count, source_count))
    groups = connected_components(graph, directed=False)[1].astype(np.int64)
    unused = int(groups.max(initial=-1)) + 1
    inside = groups[pairs.first] == groups[pairs.second]
    size = np.bincount(groups, minlength=1)
    for component in np.flatnonzero((size > 2) & (size <= _CUT_LIMIT)):
        members = np.flatnonzero(groups == component)
        chosen = np.flatnonzero(inside & (groups[pairs.first] == component))
        first, second = (np.searchsorted(members, side[chosen]) for side in (pairs.first, pairs.second))
        distance = np.ones((members.size, members.size))
        distance[first, second] = 1 - share[chosen]
        tree = hierarchy.linkage(distance[np.triu_indices(members.size, 1)], "average")
        groups[members] = unused + hierarchy.fcluster(tree, 1 - least + 1e-9, "distance")
        unused += members.size + 1
    return renumbered(groups)


def renumbered(label: Integers) -> Integers:
    """The same groups, numbered from 0 by their first member."""
    _, first, group = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[group].astype(np.int64)
