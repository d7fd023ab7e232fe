"""Votes over time of sources of which some turn, with the truth and the times."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from estimator.arrays.types import Floats
from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix
from estimator.weights import log_odds
from tests.estimator.synthetic import Sample


@dataclass(frozen=True, slots=True)
class DriftScenario:
    """What to draw: N sources with these reliabilities on M queries, whose times are spread over [0, 1).

    >>> DriftScenario((0.9, 0.6), turned_reliability={0: 0.1}).turn
    0.5
    """

    reliability: tuple[float, ...]
    turned_reliability: Mapping[int, float] = field(default_factory=dict)
    """By source that turns, its reliability from `turn` on."""
    turn: float = 0.5
    coverage: float | tuple[float, ...] = 0.6
    """Share of the queries that a source votes on."""
    query_count: int = 200
    wrong_answers: int = 9
    hardness: float = 0.0
    """What the log odds of being right lose for everybody between time 0 and 1."""
    sudden: bool = False
    """Whether they lose all of it at `turn`."""

    def __post_init__(self) -> None:
        """Raise EstimatorError for a source that turns and is none."""
        if any(not 0 <= source < len(self.reliability) for source in self.turned_reliability):
            raise EstimatorError("turned_reliability names a source that has no reliability")


@dataclass(frozen=True, slots=True, eq=False)
class DriftSample(Sample):
    """Votes with their truth and their times."""

    time: Floats
    """(V,) in the order of `votes.triples()`."""
    query_time: Floats
    """(M,)"""
    late_reliability: Floats
    """(N,) probability that a vote from `turn` on is right, but for hardness."""


def draw_drift(scenario: DriftScenario, random: np.random.Generator) -> DriftSample:
    """Draw one sample; the votes on a query have the time of the query."""
    source_count, query_count = len(scenario.reliability), scenario.query_count
    query_time = random.random(query_count)
    truth = random.integers(scenario.wrong_answers + 1, size=query_count)
    coverage = np.broadcast_to(scenario.coverage, (source_count,))
    query, source = np.nonzero(random.random((query_count, source_count)) < coverage)
    early = np.array(scenario.reliability)
    late = early.copy()
    late[list(scenario.turned_reliability)] = list(scenario.turned_reliability.values())
    is_late = query_time[query] >= scenario.turn
    loss = scenario.hardness * (is_late if scenario.sudden else query_time[query])
    right = random.random(query.size) < expit(log_odds(np.where(is_late, late[source], early[source])) - loss)
    wrong = random.integers(1, scenario.wrong_answers + 1, size=query.size)
    answer = (truth[query] + np.where(right, 0, wrong)) % (scenario.wrong_answers + 1)
    votes = VoteMatrix.from_triples(query, source, answer, query_count=query_count, source_count=source_count)
    return DriftSample(votes, truth, early, query_time[votes.triples()[0]], query_time, late)
