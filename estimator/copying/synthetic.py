"""Synthetic votes of sources of which some copy others, with the truth and the copy groups."""

from dataclasses import dataclass

import numpy as np

from estimator.arrays.types import Flags, Floats, Integers
from estimator.errors import EstimatorError
from estimator.synthetic import Sample
from estimator.votes import VoteMatrix


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
