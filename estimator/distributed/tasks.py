"""What is added up over the votes in one round.

All sums are of whole numbers, so that they do not depend on which votes are in which file, which files are with which
worker, and who is done first. A probability counts as its multiple of 2^-b, rounded, where b is such that 64 bits hold
the sum over all queries.
"""

from dataclasses import dataclass, fields
from typing import Final, Protocol, Self, TypeVar

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.arrays.vote_table import TIE_TOLERANCE
from estimator.distributed.parts import Compact, Part
from estimator.methods.one_coin import normalise
from estimator.policies import TiePolicy

# Sums over the at most 2^18 queries of a block are exact in the 53 bits of a double.
_MOST_BITS: Final = 34
LOG_BITS: Final = 20


def probability_bits(queries: int) -> int:
    """The number b of bits after the point of probabilities that are added up over so many queries.

    >>> probability_bits(1_000_000), probability_bits(1_000_000_000)
    (34, 32)
    """
    return min(_MOST_BITS, 62 - queries.bit_length())


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the sources and patterns of a part are among all."""

    sources: Integers
    patterns: Integers


@dataclass(slots=True, eq=False)
class Sums:
    """Sums over votes, arrays of whole numbers."""

    def add(self, other: Self) -> None:
        """Add those over other votes."""
        for column in fields(self):
            setattr(self, column.name, getattr(self, column.name) + getattr(other, column.name))


SumsT = TypeVar("SumsT", bound=Sums)


class Task(Protocol[SumsT]):
    """Something to add up over votes."""

    def zero(self) -> SumsT:
        """The sums over no votes."""
        ...

    def add_part(self, part: Part, places: Places, total: SumsT) -> None:
        """Add those over the votes of a part."""
        ...


@dataclass(slots=True, eq=False)
class AgreementSums(Sums):
    """Sums of a weighted vote."""

    agreed: Integers
    """(N,) votes for the winners."""
    unjudged: Integers
    """(N,) votes on queries without a winner."""
    losing: Integers
    """(2,) ordered pairs of losing votes on the same query, and those of them for the same answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Votes for the winners by weights (N,)."""

    weight: Floats
    ties: TiePolicy
    count_losing: bool = False

    def zero(self) -> AgreementSums:
        """The sums over no votes."""
        return AgreementSums(_zeros(self.weight.size), _zeros(self.weight.size), _zeros(2))

    def add_part(self, part: Part, places: Places, total: AgreementSums) -> None:
        """Add those over the votes of a part."""
        largest, weight = float(np.abs(self.weight).max(initial=0.0)), self.weight[places.sources]
        agreed, unjudged = _zeros(weight.size), _zeros(weight.size)
        for block in part.blocks():
            table = block.table
            tolerance = table.query_votes().astype(np.float64) * (TIE_TOLERANCE * largest)
            winner = table.choose(table.scores(weight), tolerance, self.ties).winner
            elected = np.zeros(table.class_count)
            elected[winner[winner >= 0]] = 1.0
            agreed += table.sum_by_source(elected).astype(np.int64)
            if (winner < 0).any():
                unjudged += table.sum_by_source((winner < 0)[table.row].astype(np.float64)).astype(np.int64)
            if self.count_losing:
                total.losing += table.losing_pairs(winner)
        total.agreed[places.sources] += agreed
        total.unjudged[places.sources] += unjudged


@dataclass(slots=True, eq=False)
class ExpectedSums(Sums):
    """Sums of an E-step of the one-coin model, as multiples of 2^-b."""

    right: Integers
    """(N,) probabilities that the votes of a source are right."""
    squares: Integers
    """(N,) their squares."""
    pattern: Integers
    """(P,) probabilities of the patterns."""
    nobody: Integers
    """() probabilities that nobody is right."""
    log_total: Integers
    """() logs of the evidence, as multiples of 2^-20."""


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """An E-step under log odds (N,) of the reliabilities and log probabilities (P,) of the patterns."""

    odds: Floats
    pattern: Floats
    bits: int
    count_patterns: bool
    is_last: bool = False
    """Whether squares, `nobody` and `log_total` are added up."""

    def zero(self) -> ExpectedSums:
        """The sums over no votes."""
        sources = self.odds.size
        return ExpectedSums(_zeros(sources), _zeros(sources), _zeros(self.pattern.size), _zeros(), _zeros())

    def add_part(self, part: Part, places: Places, total: ExpectedSums) -> None:
        """Add those over the votes of a part."""
        odds, pattern = self.odds[places.sources], self.pattern[places.patterns]
        scale = float(1 << self.bits)
        right_votes, squares, of_pattern = _zeros(odds.size), _zeros(odds.size), _zeros(pattern.size)
        for block in part.blocks():
            table = block.table
            right, nobody = table.scores(odds), pattern[block.query_pattern]
            right += pattern[block.class_pattern]
            log_total = np.concatenate(
                [normalise(right[part.classes], nobody[part.rows], part) for part in table.blocks]
            )
            scaled = np.rint(right * scale)
            right_votes += table.sum_by_source(scaled).astype(np.int64)
            if self.count_patterns:
                of_pattern += _by_pattern(block.class_pattern, scaled, pattern.size)
                of_pattern += _by_pattern(block.query_pattern, np.rint(nobody * scale), pattern.size)
            if self.is_last:
                squares += table.sum_by_source(np.rint(right**2 * scale)).astype(np.int64)
                total.nobody += np.rint(nobody * scale).astype(np.int64).sum()
                total.log_total += np.rint(log_total * (1 << LOG_BITS)).astype(np.int64).sum()
        total.right[places.sources] += right_votes
        total.squares[places.sources] += squares
        total.pattern[places.patterns] += of_pattern


def _zeros(*shape: int) -> Integers:
    return np.zeros(shape, dtype=np.int64)


def _by_pattern(pattern: Compact, scaled: Floats, count: int) -> Integers:
    """(count,) sums of whole numbers by pattern."""
    return np.bincount(pattern, scaled, minlength=count).astype(np.int64)
