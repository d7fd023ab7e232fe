"""Whether the winner of an unfinished vote can still change, so that a selection may stop early."""

import math
from collections.abc import Sequence
from heapq import nlargest
from itertools import accumulate

from answering.voting.vote import ROUNDING


class OpenVote:
    """A weighted vote that is still being counted, and the weights that may come.

    >>> vote = OpenVote([3.0, 1.0, 1.0])
    >>> vote.count("text:oslo", 3.0)
    >>> vote.is_decided(read=1, wanted=2)
    True
    """

    def __init__(self, weights: Sequence[float]) -> None:
        """`weights` of all sources that may be read, in the order of reading."""
        self._sizes = [abs(weight) for weight in weights]
        self._remaining = [0.0, *accumulate(reversed(self._sizes))][::-1]
        self._slack = ROUNDING * math.fsum(self._sizes)
        self._scores: dict[str, float] = {}
        self._cast = 0.0

    def count(self, answer_key: str, weight: float) -> None:
        """Add a vote."""
        self._scores[answer_key] = self._scores.get(answer_key, 0.0) + weight
        self._cast += abs(weight)

    def is_decided(self, read: int, wanted: int, margin: float = 0.0) -> bool:
        """Whether the leader stays ahead of every answer, voted for or not, whatever `wanted` more sources say: by more
        than the share `margin` of all weight.

        `read` sources were read so far. Each further one narrows the lead by |v| at most: by supporting another
        answer, or the leader if v < 0.
        """
        if not self._scores:
            return False
        first, second = nlargest(2, (*self._scores.values(), -math.inf))
        to_come = self._weight_to_come(read, wanted)
        return first - max(second, 0.0) - to_come > margin * (self._cast + to_come) + self._slack

    def _weight_to_come(self, read: int, wanted: int) -> float:
        if wanted >= len(self._sizes) - read:
            return self._remaining[read]
        return math.fsum(nlargest(wanted, self._sizes[read:]))
