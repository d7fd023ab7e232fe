"""Sums over pairs of sources, and blocks of limited cost."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from estimator.copying.pairs import Incidence, Pairs, blocks


@given(st.integers(0, 10**6), st.integers(1, 8))
@settings(deadline=None)
def test_sums_of_pairs_are_those_of_dense_tables(seed: int, few: int) -> None:
    """A few pairs are added up row by row, all pairs by a product."""
    random = np.random.default_rng(seed)
    voted = random.random((9, 40)) < 0.4
    weight = random.random((9, 40)) * voted
    incidence = Incidence.of(sparse.csr_array(voted.astype(float)))
    first, second = np.triu_indices(9, 1)
    dense = weight @ voted.T
    for chosen in (np.arange(first.size), random.choice(first.size, few, replace=False)):
        pairs = Pairs(first[chosen], second[chosen])
        forward, backward = incidence.sums(sparse.csr_array(weight), pairs)
        np.testing.assert_allclose(forward, dense[pairs.first, pairs.second])
        np.testing.assert_allclose(backward, dense[pairs.second, pairs.first])


@given(st.lists(st.integers(0, 9)), st.integers(1, 20))
def test_blocks_cover_everything_once_within_their_limit(cost: list[int], most: int) -> None:
    parts = list(blocks(np.array(cost, dtype=float), most))
    assert [index for part in parts for index in range(part.start, part.stop)] == list(range(len(cost)))
    assert all(sum(cost[part]) <= most or part.stop - part.start == 1 for part in parts)
