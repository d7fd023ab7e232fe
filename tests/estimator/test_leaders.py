"""The two largest of every run, step by step and run by run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.arrays import segment_maxima
from estimator.arrays.segment_maxima import Ladder, runs

levels = st.lists(st.sampled_from([-1.5, 0.0, 0.25, 3.0]), min_size=1, max_size=9)


@given(st.lists(levels, min_size=1, max_size=12), st.sampled_from([0, 2, 64]))
def test_the_two_largest_are_found_whatever_the_lengths(lists: list[list[float]], steps: int) -> None:
    """Whether there are too many steps or not."""
    size = np.array([len(one) for one in lists])
    ladder = Ladder.of(np.cumsum(size) - size, int(size.sum()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_maxima, "_STEPS", steps)
        place, second = ladder.two_largest(np.concatenate(lists))
    assert (place - ladder.first).tolist() == [one.index(max(one)) for one in lists]
    assert second.tolist() == [sorted(one)[-2] if len(one) > 1 else -np.inf for one in lists]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 4)), max_size=9))
def test_runs_are_laid_end_to_end(pairs: list[tuple[int, int]]) -> None:
    begin, size = (np.array([pair[place] for pair in pairs], dtype=np.int32) for place in range(2))
    assert runs(begin, size).tolist() == [start + step for start, count in pairs for step in range(count)]
