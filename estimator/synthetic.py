"""Votes of sources of known reliability, drawn as in the benchmark of RA-RAG section 4 (arXiv:2410.22954)."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix


class Prior(StrEnum):
    """Where the reliabilities of the sources come from."""

    SPAMMER_HAMMER = "spammer_hammer"
    """A source is, with equal chance, a spammer (0.1) or a hammer (0.9)."""
    BETA = "beta"
    """Beta(6, 4), of mean 0.6."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What to draw: N sources, M queries, and the probability that a source votes on a query."""

    source_count: int = 9
    query_count: int = 200
    prior: Prior = Prior.SPAMMER_HAMMER
    coverage: float = 0.6
    wrong_answers: int = 9

    def __post_init__(self) -> None:
        """Raise EstimatorError for what cannot be drawn."""
        if self.source_count < 0 or self.query_count < 0 or self.wrong_answers < 1:
            raise EstimatorError(f"{self} cannot be drawn: counts are 0 or more, and wrong_answers is 1 or more")
        if not 0 <= self.coverage <= 1:
            raise EstimatorError(f"coverage is {self.coverage}; give a share from 0 to 1")


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Votes with the truth that they were drawn from."""

    votes: VoteMatrix
    truth: Integers
    """(M,) id of the right answer of every query, from 0 to `wrong_answers`."""
    true_reliability: Floats
    """(N,) probability that a vote of the source is right."""

    def accuracy(self, answer: Integers) -> float:
        """Share of all queries whose answer (M,) is right; a query without an answer counts as wrong."""
        return float((answer == self.truth).mean())


def draw(scenario: Scenario, random: np.random.Generator) -> Sample:
    """Draw one sample: a source votes on a query with probability `coverage`, rightly with its reliability, else for
    any wrong answer with equal probability. The id of the right answer is random, so that ties by id favour no answer.
    """
    shape = (scenario.query_count, scenario.source_count)
    reliability = _reliabilities(scenario, random)
    truth = random.integers(scenario.wrong_answers + 1, size=scenario.query_count)
    query, source = np.nonzero(random.random(shape) < scenario.coverage)
    right = random.random(query.size) < reliability[source]
    wrong = random.integers(1, scenario.wrong_answers + 1, size=query.size)
    answer = (truth[query] + np.where(right, 0, wrong)) % (scenario.wrong_answers + 1)
    votes = VoteMatrix.from_triples(query, source, answer, query_count=shape[0], source_count=shape[1])
    return Sample(votes, truth, reliability)


def _reliabilities(scenario: Scenario, random: np.random.Generator) -> Floats:
    if scenario.prior is Prior.BETA:
        return random.beta(6.0, 4.0, size=scenario.source_count)
    return random.choice([0.1, 0.9], size=scenario.source_count)
