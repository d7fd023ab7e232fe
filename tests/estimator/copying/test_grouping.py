"""Copy groups from links between pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from estimator.copying.grouping import grouped, renumbered
from estimator.copying.pairs import Pairs


def test_a_source_that_copies_two_others_does_not_join_them() -> None:
    """1 shares half with 0 and half with 2, which share nothing: the closer pair stays."""
    pairs = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    linked = np.array([0, 2])
    assert grouped(4, pairs, linked, np.array([0.6, 0.0, 0.55]), 0.5).tolist() == [0, 0, 1, 2]
    assert grouped(4, pairs, linked, np.array([0.6, 0.5, 0.55]), 0.5).tolist() == [0, 0, 0, 1]


def test_pairs_without_evidence_do_not_cut_a_group() -> None:
    pairs = Pairs(np.array([0, 0, 1]), np.array([1, 2, 2]))
    share = np.array([0.9, np.nan, 0.9])
    assert grouped(3, pairs, np.array([0, 2]), share, 0.5).tolist() == [0, 0, 0]
    assert grouped(3, pairs.take(np.array([0, 2])), np.array([0, 1]), share[[0, 2]], 0.5).tolist() == [0, 0, 0]


@given(st.lists(st.integers(0, 5)))
def test_groups_are_numbered_by_their_first_member(label: list[int]) -> None:
    numbered = renumbered(np.array(label, dtype=np.int64)).tolist()
    assert [numbered.index(group) for group in sorted(set(numbered))] == sorted({label.index(group) for group in label})
