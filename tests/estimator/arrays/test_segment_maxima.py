"""The two largest numbers of each segment, place by place and by `reduceat`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.arrays import segment_maxima
from estimator.arrays.segment_maxima import Segments, concatenated_ranges

levels = st.lists(st.sampled_from([-1.5, 0.0, 0.25, 3.0]), min_size=1, max_size=9)


@given(st.lists(levels, min_size=1, max_size=12), st.sampled_from([0, 2, 64]))
def test_the_two_largest_are_found_whatever_the_lengths(lists: list[list[float]], longest: int) -> None:
    size = np.array([len(values) for values in lists])
    segments = Segments.of(np.cumsum(size) - size, int(size.sum()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_maxima, "_LONGEST", longest)
        largest, second = segments.two_largest(np.concatenate(lists))
    assert (largest - segments.first).tolist() == [values.index(max(values)) for values in lists]
    assert second.tolist() == [sorted(values)[-2] if len(values) > 1 else -np.inf for values in lists]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 4)), max_size=9))
def test_concatenated_ranges(pairs: list[tuple[int, int]]) -> None:
    begin, size = (np.array([pair[column] for pair in pairs], dtype=np.int32) for column in range(2))
    assert concatenated_ranges(begin, size).tolist() == [
        start + step for start, count in pairs for step in range(count)
    ]
