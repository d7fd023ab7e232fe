"""Whether the winner of an unfinished vote can still change, so that a selection may stop early."""

import math
from collections.abc import Sequence
from heapq import nlargest
from itertools import accumulate
from typing import Generic, Protocol

from answering.voting.vote import ROUNDING
from answering.voting.voter import CastVote, Source


class Weights(Protocol[Source]):
    """What votes weigh, see `Electorate`."""

    def greatest_weight(self, source_id: Source) -> float:
        """The weight of the vote of a source, however it is read."""
        ...

    def weight_of(self, vote: CastVote[Source]) -> float: ...


class OpenVote(Generic[Source]):
    """A weighted vote that is still being counted, and the votes that may come; the electorate says what they weigh.

    >>> from answering.voting.electorate import Electorate
    >>> from answering.voting.voter import Voter
    >>> voters = [Voter("a", 0.9), Voter("b", 0.3), Voter("c", 0.3)]
    >>> electorate = Electorate(voters, prior=0.6, prior_lower=0.5, labels=10, weigh=lambda w, _: w)
    >>> vote = OpenVote(electorate, ["a", "b", "c"])
    >>> vote.count(CastVote("a", "text:oslo", "Oslo"))
    >>> vote.is_decided(read=1, wanted=2)
    True
    """

    def __init__(self, electorate: Weights[Source], source_ids: Sequence[Source]) -> None:
        """`source_ids` are all sources that may be read, in the order of reading."""
        self._electorate = electorate
        self._sizes = [abs(electorate.greatest_weight(source_id)) for source_id in source_ids]
        self._remaining = [0.0, *accumulate(reversed(self._sizes))][::-1]
        self._slack = ROUNDING * math.fsum(self._sizes)
        self._scores: dict[str, float] = {}
        self._cast = 0.0

    def count(self, vote: CastVote[Source]) -> None:
        weight = self._electorate.weight_of(vote)
        self._scores[vote.answer_key] = self._scores.get(vote.answer_key, 0.0) + weight
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
