"""The world in which most sources mean another thing by the same word."""

import numpy as np

from benchmarks.copies.datasets import blocs, wrong_pairs
from estimator.copying import find_copies


def test_nobody_honest_is_joined_where_wrong_groups_are_likelier_by_chance() -> None:
    sample = blocs(np.random.default_rng(4), 3_000)
    accused, missed = wrong_pairs(sample.groups, find_copies(sample.votes)[0])
    assert (accused, missed) == (0, 0)
