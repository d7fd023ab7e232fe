"""Votes that may be misread: the chance that each is right, and what it then says of its source.

A vote is what its source says with probability g, and else a misreading, which names the right answer no more often
than any other one, by luck. Under the reliability w of its source, which is the share of its *statements* that are
right, the vote is right with probability

    p = g w + (1 - g) luck

where errors of the reader and of the source are told apart as in Knowledge-Based Trust (Dong et al. 2015, PVLDB 8(9),
938-949), but for the extractor's recall, which votes that are not there do not need. A misreading is as likely for the
right answer as for any other one, so that a vote with g = 0 changes nothing.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from estimator.arrays.types import Floats
from estimator.arrays.vote_table import VoteTable


@dataclass(frozen=True, slots=True, eq=False)
class VoteSums:
    """Sums over the votes of N sources, given the probability that each vote is right; all arrays are (N,)."""

    votes: Floats
    right: Floats
    squares: Floats

    @classmethod
    def of(cls, table: VoteTable, right: Floats) -> Self:
        """The sums, given the probability `right` (C,) of every class."""
        return cls(table.source_votes, table.sum_by_source(right), table.sum_by_source(right**2))

    def observed_information(self, reliability: Floats) -> Floats:
        """(N,) sum of the squares of the gradient of the log evidence; see `beta_posterior`."""
        return self.squares - 2 * reliability * self.right + self.votes * reliability**2


# Enough for two digits where half of the votes are misread.
_ROUNDS: Final = 20


def chance_right(read: Floats, reliability: Floats, luck: float) -> Floats:
    """The probabilities that votes are right; `read` is g and `reliability` that of the source of each vote.

    >>> chance_right(np.array([1.0, 0.5, 0.0]), np.array([0.8, 0.8, 0.8]), 0.1).round(3).tolist()
    [0.8, 0.45, 0.1]
    """
    return read * reliability + (1 - read) * luck


@dataclass(frozen=True, slots=True, eq=False)
class Statements:
    """The probability that every vote (V,) or (V, S) is what its source says, given that it is right or wrong.

    >>> stated = Statements.of(np.array([1.0, 0.5]), np.array([0.8, 0.8]), 0.2)
    >>> stated.if_right.round(3).tolist(), stated.if_wrong.round(3).tolist()
    ([1.0, 0.8], [1.0, 0.2])
    """

    if_right: Floats
    if_wrong: Floats

    @classmethod
    def of(cls, read: Floats, reliability: Floats, luck: float) -> Self:
        """The statements from g, the reliabilities of the sources of the votes, and the luck of misreadings."""
        right = chance_right(read, reliability, luck)
        return cls(read * reliability / right, read * (1 - reliability) / (1 - right))

    @classmethod
    def of_table(cls, table: VoteTable, reliability: Floats, luck: float) -> Self:
        """The statements of the votes of a table, given the reliabilities (N,) of its sources."""
        read = np.ones(table.source.size) if table.read is None else table.read
        return cls.of(read, reliability[table.source], luck)

    def misread(self, right: Floats) -> Floats:
        """(V,) probability that a vote is a misreading, given the probability (V,) that it is right."""
        misread: Floats = np.clip(1 - right * self.if_right - (1 - right) * self.if_wrong, 0.0, 1.0)
        return misread


def expected_statements(table: VoteTable, right: Floats, reliability: Floats, luck: float) -> tuple[Floats, Floats]:
    """Expected numbers (N,) of right statements and of all statements of the sources, given the probability `right`
    (C,) that each class is right: the votes themselves, unless some may be misread.
    """
    if table.read is None:
        return table.sum_by_source(right), table.source_votes
    stated, of_vote = Statements.of_table(table, reliability, luck), right_votes(table, right)
    right_ones = of_vote * stated.if_right
    wrong_ones = (1 - of_vote) * stated.if_wrong
    total = _by_source(table, right_ones)
    return total, total + _by_source(table, wrong_ones)


def statements(table: VoteTable, right: Floats, luck: float) -> tuple[Floats, Floats]:
    """Like `expected_statements`, under the reliabilities to which these lead."""
    if table.read is None:
        return expected_statements(table, right, np.empty(0), luck)
    reliability = (table.sum_by_source(right) + 1) / (table.source_votes + 2)
    for _ in range(_ROUNDS):
        of_right, stated = expected_statements(table, right, reliability, luck)
        reliability = (of_right + 1) / (stated + 2)
    return expected_statements(table, right, reliability, luck)


def observed_information(table: VoteTable, right: Floats, reliability: Floats, luck: float) -> Floats:
    """(N,) sum of the squares of the gradient of the log evidence in the log odds of the reliabilities (N,)."""
    if table.read is None:
        return VoteSums.of(table, right).observed_information(reliability)
    return _by_source(table, gradient(table, right, reliability, luck) ** 2)


def gradient(table: VoteTable, right: Floats, reliability: Floats, luck: float) -> Floats:
    """(V,) gradient of the log evidence of every vote in the log odds of the reliability of its source."""
    of_vote, of_source = right_votes(table, right), reliability[table.source]
    if table.read is None:
        return of_vote - of_source
    stated = Statements.of(table.read, of_source, luck)
    slope: Floats = of_vote * stated.if_right * (1 - of_source) - (1 - of_vote) * stated.if_wrong * of_source
    return slope


def right_votes(table: VoteTable, right: Floats) -> Floats:
    """(V,) probability that every vote is right, given that (C,) of the classes."""
    return np.repeat(right, np.diff(table.class_start))


def _by_source(table: VoteTable, value: Floats) -> Floats:
    """(N,) sum of a (V,) value over the votes of each source."""
    return np.bincount(table.source, value, minlength=table.source_count).astype(np.float64)
