"""Worlds of honest sources in which liars join, and the attacks that they make.

Honest sources are those of RA-RAG section 4 (arXiv:2410.22954): reliabilities from Beta(6, 4), six in ten queries
answered, nine wrong answers a query. Liars answer six in ten of the other queries and every target, where all of them
give the same wrong answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from estimator import VoteMatrix
from estimator.arrays.types import Floats, Integers

QUERIES: Final = 200
TARGETS: Final = 10
COVERAGE: Final = 0.6
WRONG_ANSWERS: Final = 9
SILENT: Final = -1

Answers = NDArray[np.int64]
"""(M, sources) ids of answers, `SILENT` where a source has none."""


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Votes of honest sources, then of liars, with the truth and the lies."""

    votes: VoteMatrix
    honest: int
    truth: Integers
    """(M,)"""
    lie: Integers
    """(M,) the wrong answer that liars share."""
    targets: Integers
    """(10,) the queries that matter to the liars."""

    def adoption(self, answer: Integers) -> float:
        """Share of the targets whose answer, of (M,), is the lie."""
        return float((answer == self.lie)[self.targets].mean())

    def accuracy(self, answer: Integers) -> float:
        """Share of the other queries whose answer, of (M,), is right."""
        others = np.ones(QUERIES, dtype=np.bool_)
        others[self.targets] = False
        return float((answer == self.truth)[others].mean())


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What an attack is drawn from."""

    truth: Integers
    lie: Integers
    random: np.random.Generator

    def answers(self, reliability: Floats) -> Answers:
        """(M, n) of n independent sources."""
        shape = (QUERIES, reliability.size)
        wrong = self.random.integers(1, WRONG_ANSWERS + 1, size=shape)
        right = self.random.random(shape) < reliability
        answer: Answers = (self.truth[:, None] + np.where(right, 0, wrong)) % (WRONG_ANSWERS + 1)
        return np.where(self.random.random(shape) < COVERAGE, answer, SILENT)

    def as_honest(self, count: int) -> Answers:
        """(M, n) of n sources as the honest ones are."""
        return self.answers(self.random.beta(6.0, 4.0, size=count))

    def scripted(self, count: int, share: float) -> Answers:
        """(M, n) of n sources that take this share of the answers of one, and answer the rest as honest ones do."""
        script, own = self.as_honest(1), self.as_honest(count)
        return np.where(self.random.random(own.shape) < share, script, own)


def _good(setting: Setting, count: int) -> Answers:
    return setting.answers(np.full(count, 0.9))


def _everywhere(setting: Setting, count: int) -> Answers:
    other = setting.answers(np.zeros(count))
    shared = setting.random.random(other.shape) < 0.6
    return np.where(shared & (other != SILENT), setting.lie[:, None], other)


ATTACKS: Final[Mapping[str, Callable[[Setting, int], Answers]]] = {
    "right nine times in ten elsewhere": _good,
    "as good as the others elsewhere": Setting.as_honest,
    "lie everywhere, 60 % shared": _everywhere,
    "exact copies": lambda setting, count: setting.scripted(count, 1.0),
    "scripts": lambda setting, count: setting.scripted(count, 0.8),
    "half-hidden scripts": lambda setting, count: setting.scripted(count, 0.5),
}
"""By name, what n liars answer before they lie on the targets."""


def draw(attack: str, honest: int, liars: int, seed: int) -> World:
    """A world of this seed. The honest sources are the same whatever joins them."""
    random = np.random.default_rng([seed, honest])
    truth = random.integers(WRONG_ANSWERS + 1, size=QUERIES)
    lie = (truth + random.integers(1, WRONG_ANSWERS + 1, size=QUERIES)) % (WRONG_ANSWERS + 1)
    targets = random.choice(QUERIES, TARGETS, replace=False)
    setting = Setting(truth, lie, random)
    of_honest = setting.as_honest(honest)
    of_liars = ATTACKS[attack](setting, liars)
    if attack != "lie everywhere, 60 % shared":
        of_liars[targets] = lie[targets, None]
    answer = np.concatenate((of_honest, of_liars), axis=1)
    query, source = np.nonzero(answer != SILENT)
    votes = VoteMatrix.from_triples(
        query, source, answer[query, source], query_count=QUERIES, source_count=honest + liars
    )
    return World(votes, honest, truth, lie, np.sort(targets))
