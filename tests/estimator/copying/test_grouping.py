"""Copy groups from links between pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from estimator.copying.grouping import linked_groups, renumbered
from estimator.copying.pairs import Pairs


def pairs(first: list[int], second: list[int]) -> Pairs:
    nothing = np.zeros(len(first))
    return Pairs(np.array(first, dtype=np.int64), np.array(second, dtype=np.int64), *[nothing] * 6)


def test_a_source_that_copies_two_others_does_not_join_them() -> None:
    """1 shares half with 0 and half with 2, which share nothing: the closer pair stays."""
    some, linked = pairs([0, 0, 1], [1, 2, 2]), np.array([True, False, True])
    assert linked_groups(4, some, linked, np.array([0.6, 0.0, 0.55]), 0.5).tolist() == [0, 0, 1, 2]
    assert linked_groups(4, some, linked, np.array([0.6, 0.5, 0.55]), 0.5).tolist() == [0, 0, 0, 1]


def test_pairs_that_are_not_there_share_nothing() -> None:
    share, linked = np.array([0.9, 0.8]), np.array([True, True])
    assert linked_groups(3, pairs([0, 1], [1, 2]), linked, share, 0.5).tolist() == [0, 0, 1]


def test_without_links_all_are_alone() -> None:
    assert linked_groups(3, pairs([], []), np.zeros(0, dtype=bool), np.zeros(0), 0.5).tolist() == [0, 1, 2]


@given(st.lists(st.integers(0, 5)))
def test_groups_are_numbered_by_their_first_member(label: list[int]) -> None:
    numbered = renumbered(np.array(label, dtype=np.int64)).tolist()
    assert [numbered.index(group) for group in sorted(set(numbered))] == sorted({label.index(group) for group in label})
