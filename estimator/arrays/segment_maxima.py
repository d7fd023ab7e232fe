"""The largest and the second largest of every run of numbers, for many short runs at once."""

from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Kind = TypeVar("Kind", bound=np.generic)

# Runs longer than this are reduced one by one.
_STEPS: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """k runs that cover c numbers, in order of their lengths: step l looks at the l-th number of all that have one."""

    first: Integers
    """(k,) where each run begins."""
    size: Integers
    """(k,) how long it is, 1 or more."""
    order: Integers
    """(k,) the runs from the longest to the shortest."""
    steps: tuple[int, ...]
    """How many runs have a second number, a third and so on."""

    @classmethod
    def of(cls, first: Integers, count: int) -> Self:
        """The runs of `count` numbers that begin at `first`."""
        size = np.diff(first, append=count)
        longest = int(size.max(initial=1))
        shorter = np.cumsum(np.bincount(size, minlength=longest + 1))
        order = np.argsort((longest - size).astype(np.uint16 if longest < 1 << 16 else np.uint32), kind="stable")
        return cls(first, size, order, tuple((size.size - shorter[1:-1]).tolist()))

    def two_largest(self, values: Floats) -> tuple[Integers, Floats]:
        """(k,) where the largest of the values (c,) of every run is, the first of equals; and the second largest,
        `-inf` where there is none.
        """
        if len(self.steps) > _STEPS:
            return self._one_by_one(values)
        place = self.first[self.order]
        leader, top, second = place.copy(), values[place], np.full(place.size, -np.inf)
        for count in self.steps:
            at, high, low = place[:count], top[:count], second[:count]
            at += 1
            value = values[at]
            np.copyto(leader[:count], at, where=value > high)
            np.maximum(low, np.minimum(high, value), out=low)
            np.maximum(high, value, out=high)
        return self._in_place(leader), self._in_place(second)

    def _one_by_one(self, values: Floats) -> tuple[Integers, Floats]:
        top = np.maximum.reduceat(values, self.first)
        run = np.repeat(np.arange(top.size), self.size)
        largest = np.flatnonzero(values == top[run])
        _, firsts = np.unique(run[largest], return_index=True)
        rest = values.copy()
        rest[largest[firsts]] = -np.inf
        return largest[firsts], np.maximum.reduceat(rest, self.first)

    def _in_place(self, values: NDArray[Kind]) -> NDArray[Kind]:
        back = np.empty_like(values)
        back[self.order] = values
        return back


def runs(begin: NDArray[np.integer[Any]], size: NDArray[np.integer[Any]]) -> Integers:
    """`begin[0]`, `begin[0] + 1` and so on, `size[0]` numbers, then those from `begin[1]` on."""
    ends = np.cumsum(size, dtype=np.int64)
    total = int(ends[-1]) if ends.size else 0
    return np.repeat(begin - (ends - size), size) + np.arange(total)
