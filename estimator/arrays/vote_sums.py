"""Sums over the votes of every source, from which intervals are made."""

from dataclasses import dataclass
from typing import Self

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

    def observed_information(self, reliability: Floats) -> Floats:
        """(N,) sum of the squares of the gradient of the log evidence; see `beta_posterior`."""
        return self.squares - 2 * reliability * self.right + self.votes * reliability**2
