"""Batches that keep the passages of a question together."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch", reason="needs the extra `train`")

from benchmarks.training.batching import batches, group_batches

TOKENS = 100


@given(st.lists(st.lists(st.integers(1, 60), min_size=1, max_size=6), max_size=30), st.integers(0, 99))
def test_groups_stay_whole_and_batches_small(lengths_of_groups: list[list[int]], seed: int) -> None:
    lengths = [length for group in lengths_of_groups for length in group]
    places = iter(range(len(lengths)))
    groups = [[next(places) for _ in group] for group in lengths_of_groups]
    made = group_batches(groups, lengths, TOKENS, Random(seed))
    assert sorted(place for batch in made for place in batch) == list(range(len(lengths)))
    for group in groups:
        assert sum(set(group) <= set(batch) for batch in made) == 1
    for batch in made:
        # Lengths count by eights.
        assert sorted(batch) in groups or (max(lengths[place] for place in batch) - 7) * len(batch) <= TOKENS


def test_without_groups_each_window_is_its_own() -> None:
    made = batches([10, 20, 30, 40, 50], TOKENS, Random(1))
    assert sorted(place for batch in made for place in batch) == [0, 1, 2, 3, 4]
    assert len(made) > 1
