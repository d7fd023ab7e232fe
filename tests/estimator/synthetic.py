"""Votes of sources of known reliability, as in the benchmark of RA-RAG section 4 (arXiv:2410.22954), and of sources
that copy each other.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from estimator.arrays.types import Flags, Floats, Integers
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


@dataclass(frozen=True, slots=True)
class CopyScenario:
    """What to draw: one entry of `reliability`, `coverage` and `copies` for each of N sources, over M queries."""

    reliability: tuple[float, ...]
    """Probability that an answer of the source's own is right."""
    coverage: tuple[float, ...]
    """Share of all queries that it votes on; of a copier, share of its original's votes."""
    copies: tuple[int, ...]
    """The source whose votes it copies, itself no copier, or -1 for none."""
    copy_rate: float = 1.0
    """Share of a copier's votes that are copied."""
    query_count: int = 200
    wrong_answers: int = 9
    favourite_error: float = 0.0
    """Share of all wrong answers that go to one wrong answer of the query: a common error."""
    difficulty: float = 0.0
    """Standard deviation, in log odds, of how hard the queries are for everybody."""

    def __post_init__(self) -> None:
        """Raise EstimatorError for what cannot be drawn."""
        if not len(self.reliability) == len(self.coverage) == len(self.copies):
            raise EstimatorError("reliability, coverage and copies need one entry for each source")
        if any(original >= 0 and self.copies[original] >= 0 for original in self.copies):
            raise EstimatorError("a copier copies an original; name the source at the head of the chain")


@dataclass(frozen=True, slots=True, eq=False)
class CopySample(Sample):
    """Votes with their truth and copy groups."""

    groups: Integers
    """(N,) label of an original and its copiers."""


def draw_copies(scenario: CopyScenario, random: np.random.Generator) -> CopySample:
    """Draw one sample: all sources answer by themselves, then copiers take over answers of their original."""
    source_count, query_count = len(scenario.reliability), scenario.query_count
    truth = random.integers(scenario.wrong_answers + 1, size=query_count)
    answer = _own_answers(scenario, truth, random)
    voted = random.random((query_count, source_count)) < np.array(scenario.coverage)
    copies = np.array(scenario.copies, dtype=np.int64)
    for copier in np.flatnonzero(copies >= 0):
        copied = random.random(query_count) < scenario.copy_rate
        answer[copied, copier] = answer[copied, copies[copier]]
        voted[:, copier] &= voted[:, copies[copier]]
    query, source = np.nonzero(voted)
    votes = VoteMatrix.from_triples(
        query, source, answer[query, source], query_count=query_count, source_count=source_count
    )
    right: Floats = (answer == truth[:, None]).mean(axis=0)
    return CopySample(votes, truth, right, np.where(copies >= 0, copies, np.arange(source_count)))


def _own_answers(scenario: CopyScenario, truth: Integers, random: np.random.Generator) -> Integers:
    """(M, N) what every source would answer by itself."""
    shape = (scenario.query_count, len(scenario.reliability))
    reliability = np.clip(np.array(scenario.reliability), 1e-9, 1 - 1e-9)
    hardness = random.normal(0.0, scenario.difficulty, size=(scenario.query_count, 1))
    right: Flags = random.random(shape) < 1 / (1 + (1 / reliability - 1) * np.exp(hardness))
    wrong = random.integers(1, scenario.wrong_answers + 1, size=shape)
    wrong = np.where(random.random(shape) < scenario.favourite_error, 1, wrong)
    answer: Integers = (truth[:, None] + np.where(right, 0, wrong)) % (scenario.wrong_answers + 1)
    return answer
