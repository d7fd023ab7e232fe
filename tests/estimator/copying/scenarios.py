"""Synthetic sources of which some copy, for the tests of copy detection."""

import numpy as np

from estimator.arrays.types import Integers
from estimator.votes import VoteMatrix
from tests.estimator.synthetic import CopySample, CopyScenario, draw_copies


def copied(copiers: int, rate: float = 1.0, query_count: int = 200, seed: int = 0) -> CopySample:
    """Five independent sources at 0.75, and one at 0.35 (number 5) with copiers."""
    count = 6 + copiers
    scenario = CopyScenario(
        reliability=(0.75,) * 5 + (0.35,) * (1 + copiers),
        coverage=(1.0,) * count,
        copies=(-1,) * 6 + (5,) * copiers,
        copy_rate=rate,
        query_count=query_count,
    )
    return draw_copies(scenario, np.random.default_rng(seed))


def independent(reliability: tuple[float, ...], seed: int, **more: float) -> CopySample:
    """Sources that answer by themselves, all on the same 300 queries."""
    count = len(reliability)
    coverage = (more.pop("coverage", 1.0),) * count
    scenario = CopyScenario(
        reliability, coverage, (-1,) * count, query_count=300, wrong_answers=int(more.pop("wrong_answers", 9)), **more
    )
    return draw_copies(scenario, np.random.default_rng(seed))


def same_groups(groups: Integers, expected: Integers) -> bool:
    """Whether two labellings put the same sources together."""
    return bool(((groups[:, None] == groups) == (expected[:, None] == expected)).all())


def renumbered(votes: VoteMatrix, query_of: Integers, source_of: Integers) -> VoteMatrix:
    """The same votes with other numbers for queries and sources, and answers renamed query by query."""
    query, source, answer = votes.triples()
    renamed = (answer * 7 + query * 3) % 11 + 5
    return VoteMatrix.from_triples(
        query_of[query],
        source_of[source],
        renamed,
        query_count=votes.query_count,
        source_count=votes.source_count,
    )
