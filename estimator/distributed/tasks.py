"""The sums over the votes in one round.

All sums are of whole numbers, so that they do not depend on which votes are in which file, which files are with which
worker, and who is done first. A probability counts as its multiple of 2^-b, rounded, where b is such that 64 bits hold
the sum over all queries.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Final, Protocol, Self, TypeVar

import numpy as np

from estimator.arrays.types import Flags, Floats, Integers
from estimator.arrays.vote_table import TIE_TOLERANCE, Decision, VoteTable
from estimator.distributed.parts import Compact, Part, PartBlock
from estimator.methods.answers import most_probable
from estimator.methods.one_coin_model import PROBABILITY_TOLERANCE, normalise
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
    """The positions of the sources and patterns of a part among all."""

    sources: Integers
    patterns: Integers


@dataclass(slots=True, eq=False)
class Sums:
    """Sums over votes, arrays of whole numbers."""

    def add(self, other: Self) -> None:
        for column in fields(self):
            setattr(self, column.name, getattr(self, column.name) + getattr(other, column.name))


SumsT = TypeVar("SumsT", bound=Sums)


class Task(Protocol[SumsT]):
    """Something to add up over votes."""

    def zero(self) -> SumsT:
        """The sums over no votes."""
        ...

    def add_part(self, part: Part, places: Places, total: SumsT) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """The answers to k queries."""

    winner: Integers
    """(k,) class within the part, -1 where a tie has no winner."""
    tied: Flags
    """(k,) whether several answers were as good."""
    lead: Floats
    """(k,) as in `Estimate`."""
    confidence: Floats
    """(k,) probability of the answer, NaN where the method has none."""

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        every = [cls(_zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0), np.zeros(0)), *parts]
        return cls(*(np.concatenate([getattr(part, column.name) for part in every]) for column in fields(cls)))


class AnswerRule(Protocol):
    def choices(self, part: Part, places: Places) -> Iterator[Choices]:
        """The answers to the queries of a part, block by block."""
        ...


@dataclass(slots=True, eq=False)
class AgreementSums(Sums):
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
        agreed, unjudged = _zeros(places.sources.size), _zeros(places.sources.size)
        for table, decision in self._decisions(part, places):
            winner = decision.winner
            elected = np.zeros(table.class_count)
            elected[winner[winner >= 0]] = 1.0
            agreed += table.sum_by_source(elected).astype(np.int64)
            if (winner < 0).any():
                unjudged += table.sum_by_source((winner < 0)[table.row].astype(np.float64)).astype(np.int64)
            if self.count_losing:
                total.losing += table.losing_pairs(winner)
        total.agreed[places.sources] += agreed
        total.unjudged[places.sources] += unjudged

    def choices(self, part: Part, places: Places) -> Iterator[Choices]:
        """The winners, block by block."""
        weight, begin = self.weight[places.sources], 0
        for table, decision in self._decisions(part, places):
            unknown = np.full(decision.winner.size, np.nan)
            yield Choices(_within(begin, decision), decision.tied, table.margin(decision, weight), unknown)
            begin += table.class_count

    def _decisions(self, part: Part, places: Places) -> Iterator[tuple[VoteTable, Decision]]:
        largest, weight = float(np.abs(self.weight).max(initial=0.0)), self.weight[places.sources]
        for block in part.blocks():
            tolerance = block.table.query_votes().astype(np.float64) * (TIE_TOLERANCE * largest)
            yield block.table, block.table.choose(block.table.scores(weight), tolerance, self.ties)


@dataclass(slots=True, eq=False)
class ExpectedSums(Sums):
    """Sums of an E-step of the one-coin model, as multiples of 2^-b."""

    right: Integers
    """(N,) probabilities that the votes of a source are right."""
    squares: Integers
    """(N,) their squares."""
    pattern: Integers
    """(P,) probabilities of the patterns."""
    none_correct: Integers
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
    """Whether squares, `none_correct` and `log_total` are added up."""

    def zero(self, sources: int | None = None) -> ExpectedSums:
        """The sums over no votes, of as many sources as have odds or of another number."""
        count = self.odds.size if sources is None else sources
        return ExpectedSums(_zeros(count), _zeros(count), _zeros(self.pattern.size), _zeros(), _zeros())

    def add_part(self, part: Part, places: Places, total: ExpectedSums) -> None:
        scale = float(1 << self.bits)
        right_votes, squares = _zeros(places.sources.size), _zeros(places.sources.size)
        of_pattern = _zeros(places.patterns.size)
        for block, right, none_correct, log_total in self.posteriors(part, places):
            scaled = np.rint(right * scale)
            right_votes += block.table.sum_by_source(scaled).astype(np.int64)
            if self.count_patterns:
                of_pattern += _by_pattern(block.class_pattern, scaled, of_pattern.size)
                of_pattern += _by_pattern(block.query_pattern, np.rint(none_correct * scale), of_pattern.size)
            if self.is_last:
                squares += block.table.sum_by_source(np.rint(right**2 * scale)).astype(np.int64)
                total.none_correct += np.rint(none_correct * scale).astype(np.int64).sum()
                total.log_total += np.rint(log_total * (1 << LOG_BITS)).astype(np.int64).sum()
        total.right[places.sources] += right_votes
        total.squares[places.sources] += squares
        total.pattern[places.patterns] += of_pattern

    def posteriors(self, part: Part, places: Places) -> Iterator[tuple[PartBlock, Floats, Floats, Floats]]:
        """Block by block, the probability of every class (c,) and of nobody being right (k,), and the logs (k,) of
        their sums before they were made to sum to 1.
        """
        odds, pattern = self.odds[places.sources], self.pattern[places.patterns]
        for block in part.blocks():
            right, none_correct = block.table.scores(odds), pattern[block.query_pattern]
            right += pattern[block.class_pattern]
            logs = [normalise(right[some.classes], none_correct[some.rows], some) for some in block.table.blocks]
            yield block, right, none_correct, np.concatenate(logs)

    def probabilities(self, part: Part, places: Places) -> Floats:
        """(C,) that the classes of a part are right."""
        of_blocks = [right for _, right, _, _ in self.posteriors(part, places)]
        return np.concatenate(of_blocks) if of_blocks else np.zeros(0)

    def add_members(self, part: Part, sources: Integers, right: Floats, total: ExpectedSums) -> None:
        """Add those over the votes of members of copy groups, given the probability of every class (C,) by the groups
        and where the sources of the part are among all members.
        """
        scale, begin = float(1 << self.bits), 0
        for block in part.blocks():
            of_block = right[begin : begin + block.table.class_count]
            total.right[sources] += block.table.sum_by_source(np.rint(of_block * scale)).astype(np.int64)
            total.squares[sources] += block.table.sum_by_source(np.rint(of_block**2 * scale)).astype(np.int64)
            begin += of_block.size


@dataclass(frozen=True, slots=True, eq=False)
class MostProbable:
    """The most probable answers by an E-step."""

    expectation: Expectation
    ties: TiePolicy

    def choices(self, part: Part, places: Places) -> Iterator[Choices]:
        """The most probable classes, block by block."""
        begin = 0
        for block, right, _, _ in self.expectation.posteriors(part, places):
            decision, lead, confidence = most_probable(block.table, right, self.ties, PROBABILITY_TOLERANCE)
            yield Choices(_within(begin, decision), decision.tied, lead, confidence)
            begin += right.size


def _within(begin: int, decision: Decision) -> Integers:
    """(k,) the winners of a block as classes of its part, of which the block's begin at `begin`."""
    return np.where(decision.winner >= 0, decision.winner + begin, -1)


def _zeros(*shape: int) -> Integers:
    return np.zeros(shape, dtype=np.int64)


def _by_pattern(pattern: Compact, scaled: Floats, count: int) -> Integers:
    """(count,) sums of whole numbers by pattern."""
    return np.bincount(pattern, scaled, minlength=count).astype(np.int64)
