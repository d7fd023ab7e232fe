"""The periods of the sources that turned, and their votes as those of sources of their own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.votes import VoteMatrix


@dataclass(frozen=True, slots=True, eq=False)
class Periods:
    """N sources, some in several periods, as numbered parts.

    The last period of a source has the number of the source, so that it is what the source is at present; earlier ones,
    and votes of unknown time of a source with several periods, follow from N on.

    >>> periods = Periods.of({1: (5.0,)}, 3)
    >>> periods.part(np.array([0, 1, 1, 1]), np.array([2.0, 4.0, 5.0, np.nan])).tolist()
    [0, 3, 1, 4]
    """

    starts: Mapping[int, tuple[float, ...]]
    """The times at which the second and later periods of each source begin, rising."""
    first_part: Mapping[int, int]
    """The number of the first period of each source; the others but the last follow it, then its votes of unknown time.
    """
    source: Integers
    """(P,) source of every part."""

    @classmethod
    def of(cls, turns: Mapping[int, Iterable[float]], source_count: int) -> Self:
        """Number the parts, given the times at which periods begin by source."""
        starts = {source: tuple(begins) for source, begins in turns.items()}
        added = np.array([len(begins) + 1 for begins in starts.values()], dtype=np.int64)
        first = (source_count + np.cumsum(added) - added).tolist()
        turned = np.repeat(np.array(list(starts), dtype=np.int64), added)
        return cls(starts, dict(zip(starts, first, strict=True)), np.concatenate((np.arange(source_count), turned)))

    def parts_of(self, source: int) -> list[int]:
        """The parts of a source that turned which are periods, in the order of time."""
        first = self.first_part[source]
        return [*range(first, first + len(self.starts[source])), source]

    def part(self, source: Integers, time: Floats) -> Integers:
        """(V,) part of votes of these sources (V,) and times (V,), NaN where unknown."""
        part = source.copy()
        for turned, begins in self.starts.items():
            own = np.flatnonzero(source == turned)
            unknown = self.first_part[turned] + len(begins)
            period = np.searchsorted(begins, time[own], side="right")
            part[own] = np.where(np.isnan(time[own]), unknown, np.array(self.parts_of(turned))[period])
        return part

    def groups(self, groups: Integers) -> Integers:
        """(P,) copy groups of the parts, given those (N,) of the sources: a group is one in each of its periods."""
        period = np.zeros(self.source.size, dtype=np.int64)
        for turned, first in self.first_part.items():
            count = len(self.starts[turned])
            period[first : first + count + 1] = [*range(count), -1]
            period[turned] = count
        span = int(period.max(initial=0)) + 2
        labels: Integers = np.unique(groups[self.source] * span + period + 1, return_inverse=True)[1]
        return labels

    def split(self, votes: VoteMatrix, part: Integers) -> VoteMatrix:
        """The votes as those of their parts (V,); classes and queries stay as they are."""
        return votes.of_sources(part, self.source.size)
