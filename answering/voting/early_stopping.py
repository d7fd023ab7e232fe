"""Can the winner of an unfinished vote still change? What lets a selection stop early."""

import math
from collections.abc import Sequence
from heapq import nlargest
from itertools import accumulate

from answering.voting.vote import ROUNDING


class Race:
    """The vote so far, and what is still to come."""

    def __init__(self, weights: Sequence[float]) -> None:
        """`weights` of all sources that may be read, in the order in which they would be."""
        self._sizes = [abs(weight) for weight in weights]
        self._after = [0.0, *accumulate(reversed(self._sizes))][::-1]
        self._slack = ROUNDING * math.fsum(self._sizes)
        self._scores: dict[str, float] = {}

    def count(self, key: str, weight: float) -> None:
        """Count a vote."""
        self._scores[key] = self._scores.get(key, 0.0) + weight

    def is_decided(self, read: int, wanted: int) -> bool:
        """Whether the leader stays ahead of every answer, given or not, whatever `wanted` more sources say.

        Each of them narrows a lead by |v| at most: by supporting another answer, or the leader if v < 0.
        """
        if not self._scores:
            return False
        first, second = nlargest(2, (*self._scores.values(), -math.inf))
        lead = first - max(second, 0.0)
        return lead > self._most_to_come(read, wanted) + self._slack

    def _most_to_come(self, read: int, wanted: int) -> float:
        if wanted >= len(self._sizes) - read:
            return self._after[read]
        return math.fsum(nlargest(wanted, self._sizes[read:]))
