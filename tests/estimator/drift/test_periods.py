"""Parts of sources by period, and difficulty by time."""

import numpy as np
import pytest

from estimator import VoteMatrix
from estimator.drift import Periods
from estimator.drift.following import difficulty_offsets


def test_the_last_period_keeps_the_number_of_the_source() -> None:
    periods = Periods.of({0: [2.0, 4.0], 2: [3.0]}, 3)
    source = np.array([0, 0, 0, 0, 1, 2, 2, 2])
    time = np.array([1.0, 2.0, 4.5, np.nan, 9.0, 1.0, 3.0, np.nan])
    assert periods.part(source, time).tolist() == [3, 4, 0, 5, 1, 6, 2, 7]
    assert periods.source.tolist() == [0, 1, 2, 0, 0, 0, 2, 2]
    assert periods.parts_of(0) == [3, 4, 0]


def test_a_copy_group_is_one_group_in_each_period() -> None:
    periods = Periods.of({0: [2.0], 1: [2.5]}, 3)
    groups = periods.groups(np.array([0, 0, 1]))
    first, second = periods.parts_of(0), periods.parts_of(1)
    assert [groups[part] for part in first] == [groups[part] for part in second]
    assert len(set(groups[first].tolist())) == 2
    assert np.unique(groups).tolist() == list(range(groups.max() + 1))


def test_splitting_keeps_the_classes() -> None:
    votes = VoteMatrix.from_triples([0, 0, 1, 1], [0, 1, 0, 1], [5, 5, 2, 7], query_count=2, source_count=2)
    periods = Periods.of({0: [1.0]}, 2)
    parts = periods.split(votes, periods.part(votes.source.astype(np.int64), np.array([0.0, 0.0, 1.0, 1.0])))
    assert parts.class_answer.tolist() == votes.class_answer.tolist()
    assert parts.source_count == 4
    assert sorted(parts.source.tolist()) == [0, 1, 1, 2]


@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_difficulty_is_what_the_others_lost(loss: float) -> None:
    time = np.tile(np.arange(240.0), 3)
    source = np.repeat(np.arange(3), 240)
    right = np.where(time < 120, 0.8, 0.8 - loss)
    right[source == 2] = 0.8
    offset = difficulty_offsets(source, time, right, np.full(right.size, 0.8), 3)
    of_last = offset[source == 2]
    assert of_last[:120] == pytest.approx(0.0, abs=0.05)
    assert of_last[120:] == pytest.approx(np.log((0.8 - loss) / (0.2 + loss)) - np.log(4), abs=0.1)
