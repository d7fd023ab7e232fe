"""The largest and the second largest number of each of many short segments at once."""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.types import Floats, Integers, Scalar

# With a segment longer than this, segments are reduced by `reduceat` instead of place by place.
_LONGEST: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """k consecutive segments that cover c numbers, with their order by length.

    Place l of all segments that have one is looked at in one vectorised step, so that the work is c operations in as
    many steps as the longest segment has places.
    """

    first: Integers
    """(k,) where each segment begins."""
    size: Integers
    """(k,) its length, 1 or more."""
    order: Integers
    """(k,) segments from the longest to the shortest."""
    longer: tuple[int, ...]
    """Number of segments with a second number, a third and so on."""

    @classmethod
    def of(cls, first: Integers, count: int) -> Self:
        """The segments of `count` numbers that begin at `first` (k,)."""
        size = np.diff(first, append=count)
        longest = int(size.max(initial=1))
        shorter = np.cumsum(np.bincount(size, minlength=longest + 1))
        order = np.argsort((longest - size).astype(np.uint16 if longest < 1 << 16 else np.uint32), kind="stable")
        return cls(first, size, order, tuple((size.size - shorter[1:-1]).tolist()))

    def two_largest(self, values: Floats) -> tuple[Integers, Floats]:
        """Index (k,) of the largest of `values` (c,) in each segment, the first of equals, and the second largest value
        (k,), `-inf` in a segment of one.
        """
        if len(self.longer) > _LONGEST:
            return self._by_reduceat(values)
        position = self.first[self.order]
        index, top, second = position.copy(), values[position], np.full(position.size, -np.inf)
        for count in self.longer:
            at, high, low = position[:count], top[:count], second[:count]
            at += 1
            value = values[at]
            np.copyto(index[:count], at, where=value > high)
            np.maximum(low, np.minimum(high, value), out=low)
            np.maximum(high, value, out=high)
        return self._restore_order(index), self._restore_order(second)

    def _by_reduceat(self, values: Floats) -> tuple[Integers, Floats]:
        top = np.maximum.reduceat(values, self.first)
        segment = np.repeat(np.arange(top.size), self.size)
        largest = np.flatnonzero(values == top[segment])
        _, firsts = np.unique(segment[largest], return_index=True)
        rest = values.copy()
        rest[largest[firsts]] = -np.inf
        return largest[firsts], np.maximum.reduceat(rest, self.first)

    def _restore_order(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        restored = np.empty_like(values)
        restored[self.order] = values
        return restored


def concatenated_ranges(begin: NDArray[np.integer[Any]], size: NDArray[np.integer[Any]]) -> Integers:
    """`begin[0], begin[0] + 1, ...` (`size[0]` numbers), then those from `begin[1]` on, and so forth."""
    ends = np.cumsum(size, dtype=np.int64)
    total = int(ends[-1]) if ends.size else 0
    return np.repeat(begin - (ends - size), size) + np.arange(total)
