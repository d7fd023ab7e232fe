"""The certificate of a weighted vote: how many sources must be corrupted to overturn its winner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Generic

from answering.voting.vote import Ballot, Source, VoteResult, effective, slack, weighted_vote
from estimator.policies import NegativeWeights, TiePolicy


@dataclass(frozen=True, slots=True)
class Certificate(Generic[Source]):
    """The smallest set of sources whose corruption makes another answer win or tie.

    A corrupted source may vote for any answer, also for one that nobody gave. Corrupting fewer than `size` sources,
    whichever and however, leaves the answer the only winner.

    >>> certify([Ballot("a", "text:oslo", "Oslo"), Ballot("b", "text:oslo", "Oslo")]).size
    1
    """

    sources: tuple[Source, ...]
    """Those to corrupt, the most effective first; ties in the order of the ballots."""
    size: int | None
    """0 where the vote is tied as it stands; None where no corruption changes anything: nobody voted."""
    challenger: str | None
    """The key of the answer that would win; None for one that nobody gave."""
    flips_by: float | None
    """By how much the challenger would outweigh the answer, 0 for a tie; None where nothing flips."""


@dataclass(frozen=True, slots=True)
class _Gain(Generic[Source]):
    """By how much corrupting a source narrows the gap between the winner and a challenger."""

    amount: float
    position: int
    source: Source

    def __lt__(self, other: "_Gain[Source]") -> bool:
        return (-self.amount, self.position) < (-other.amount, other.position)


def certify(
    ballots: Sequence[Ballot[Source]],
    *,
    ties: TiePolicy = TiePolicy.SUPPORTERS,
    negative: NegativeWeights = NegativeWeights.KEEP,
) -> Certificate[Source]:
    """The certificate of the winner of `weighted_vote` under the same policies.

    The gap to a challenger c is V(winner) - V(c). What source i puts into it is v_i if it votes for the winner,
    -v_i if for c, else 0. Corrupted, the worst it can put in is -|v_i|: it votes for c if v_i > 0, for the winner
    if v_i < 0. So it narrows the gap by its contribution + |v_i|, whatever the others do, and the gains of a set
    add up. Of all sets of k sources the k largest gains narrow the gap most, so that the shortest prefix of the
    sorted gains that closes it is the smallest set for c; the certificate is the smallest over all challengers.

    An answer that lost all its votes keeps weight 0, and so does an answer that nobody gave once a source is
    corrupted; this matters only where the winner's weight is 0 or negative.

    >>> ballots = [Ballot("a", "text:oslo", "Oslo", 3.0), Ballot("b", "text:oslo", "Oslo", 1.0)]
    >>> certify(ballots).sources
    ('a',)
    """
    counted = effective(ballots, negative)
    result = weighted_vote(counted, ties=ties)
    if result.winner is None:
        return Certificate((), 0, result.tally[0].key, 0.0) if result.tied else Certificate((), None, None, None)
    return min(_per_challenger(counted, result, result.winner), key=_by_strength)


def _by_strength(certificate: Certificate[Source]) -> tuple[int, float, bool, str]:
    challenger = certificate.challenger
    return len(certificate.sources), -(certificate.flips_by or 0.0), challenger is None, challenger or ""


def _per_challenger(
    ballots: Sequence[Ballot[Source]], result: VoteResult[Source], winner: str
) -> Iterator[Certificate[Source]]:
    gains = sorted(
        _Gain(_contribution(ballot, winner) + abs(ballot.weight), position, ballot.source_id)
        for position, ballot in enumerate(ballots)
    )
    weight, tolerance = result.tally[0].weight, slack(ballots)
    for line in result.tally[1:]:
        yield _prefix(_gains_for(line.key, gains, ballots), weight - line.weight, tolerance, line.key)
    yield _prefix(iter(gains), weight, tolerance, None)


def _contribution(ballot: Ballot[Source], winner: str) -> float:
    return ballot.weight if ballot.answer_key == winner else 0.0


def _gains_for(
    challenger: str, gains: Sequence[_Gain[Source]], ballots: Sequence[Ballot[Source]]
) -> Iterator[_Gain[Source]]:
    """The sorted gains of everybody, those who support the challenger already with theirs: |v| - v."""
    own = sorted(
        _Gain(abs(ballot.weight) - ballot.weight, position, ballot.source_id)
        for position, ballot in enumerate(ballots)
        if ballot.answer_key == challenger
    )
    others = (gain for gain in gains if ballots[gain.position].answer_key != challenger)
    return merge(others, own)


def _prefix(
    gains: Iterator[_Gain[Source]], gap: float, tolerance: float, challenger: str | None
) -> Certificate[Source]:
    """The shortest prefix of the gains that closes the gap; to invent an answer takes one source at least."""
    chosen: list[Source] = []
    least = 1 if challenger is None else 0
    while len(chosen) < least or gap > tolerance:
        gain = next(gains)
        chosen.append(gain.source)
        gap -= gain.amount
    return Certificate(tuple(chosen), len(chosen), challenger, max(0.0, -gap))
