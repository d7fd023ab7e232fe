"""The world in which most sources mean another thing by the same word."""

import numpy as np

from benchmarks.copies.datasets import camps
from estimator.copying import find_copies
from tests.estimator.copying.scenarios import same_groups


def test_nobody_honest_is_joined_where_wrong_groups_are_likelier_by_chance() -> None:
    sample = camps(np.random.default_rng(4), 3_000)
    assert same_groups(find_copies(sample.votes).groups, sample.groups)
