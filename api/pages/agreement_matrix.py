"""Geometry of the agreement matrix of a copy group, which a template draws as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self
from uuid import UUID

from registry.disputes.store import PairAgreement

# Members in a matrix: more cells than that of so many cannot be told apart on a phone.
MEMBERS_SHOWN = 12
CELL = 44
MARGIN = 26


@dataclass(frozen=True, slots=True)
class Cell:
    """The agreement of the members of a row and of a column; both are counted from 1."""

    row: int
    column: int
    agreement: PairAgreement | None
    """None where no disputed query has votes of both."""

    @property
    def x(self) -> int:
        """The left side."""
        return MARGIN + (self.column - 1) * CELL

    @property
    def y(self) -> int:
        """The upper side."""
        return MARGIN + (self.row - 1) * CELL


@dataclass(frozen=True, slots=True)
class AgreementMatrix:
    """The cells of every two different members, both ways."""

    size: int
    """Members on each side."""
    cells: Sequence[Cell]
    side: int = CELL

    @classmethod
    def of(cls, source_ids: Sequence[UUID], agreements: Mapping[frozenset[UUID], PairAgreement]) -> Self:
        """The matrix of these sources, in this order; at most the first `MEMBERS_SHOWN`."""
        members = list(enumerate(source_ids[:MEMBERS_SHOWN], start=1))
        cells = []
        for (row, first), (column, second) in combinations(members, 2):
            agreement = agreements.get(frozenset((first, second)))
            cells += [Cell(row, column, agreement), Cell(column, row, agreement)]
        return cls(len(members), cells)

    @property
    def pairs(self) -> Sequence[Cell]:
        """Every pair once."""
        return [cell for cell in self.cells if cell.row < cell.column]

    @property
    def length(self) -> int:
        """Width and height of the drawing."""
        return MARGIN + self.size * CELL

    @property
    def marks(self) -> Sequence[tuple[int, int]]:
        """The numbers of members with the middle of their row or column."""
        return [(number, MARGIN + (number - 1) * CELL + CELL // 2) for number in range(1, self.size + 1)]
