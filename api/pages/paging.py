"""Pages by number, of lists that are sorted by something else than their creation."""

from collections.abc import Sequence
from math import ceil
from typing import Annotated, TypeVar

from fastapi import Query

LARGEST = 1_000_000
PageNumber = Annotated[int, Query(alias="page", ge=1, le=LARGEST)]

Row = TypeVar("Row")


def page_count(rows: int, size: int) -> int:
    """The number of pages of so many rows, at least 1."""
    return max(1, ceil(rows / size))


def cut(rows: Sequence[Row], number: int, size: int) -> tuple[Sequence[Row], int]:
    """The rows of the page with this number, counted from 1, or of the last one; and its number."""
    number = min(number, page_count(len(rows), size))
    return rows[(number - 1) * size : number * size], number
