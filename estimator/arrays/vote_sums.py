"""Sums over the votes of every source, from which intervals are made and which a later run adds to."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from estimator.arrays.types import Floats
from estimator.arrays.vote_table import VoteTable


@dataclass(frozen=True, slots=True, eq=False)
class VoteSums:
    """Sums over the votes of N sources, given the probability that each vote is right; all arrays are (N,)."""

    votes: Floats
    right: Floats
    """Sum of the probabilities."""
    squares: Floats
    """Sum of their squares."""

    @classmethod
    def of(cls, table: VoteTable, right: Floats) -> Self:
        """The sums, given the probability `right` (C,) of every class."""
        return cls(table.source_votes, table.sum_by_source(right), table.sum_by_source(right**2))

    def combined(self, other: Self, sign: int) -> Self:
        """These sums plus (1) or less (-1) others, of as many sources or fewer."""
        pairs = ((self.votes, other.votes), (self.right, other.right), (self.squares, other.squares))
        return type(self)(*(a + sign * np.pad(b, (0, a.size - b.size)) for a, b in pairs))

    def padded(self, source_count: int) -> Self:
        """The same, and sources without votes up to `source_count`."""
        missing = (0, source_count - self.votes.size)
        return type(self)(*(np.pad(column, missing) for column in (self.votes, self.right, self.squares)))

    def observed_information(self, reliability: Floats) -> Floats:
        """(N,) sum of the squares of the gradient of the log evidence; see `beta_posterior`."""
        return self.squares - 2 * reliability * self.right + self.votes * reliability**2
