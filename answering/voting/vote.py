"""The weighted vote on one question, `argmax_a sum_i v_i [vote_i = a]` (RA-RAG section 3.4, arXiv:2410.22954)."""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from answering.equivalence import representative
from answering.errors import BadParameter

Source = TypeVar("Source", bound=Hashable)

ROUNDING = 1e-10
"""Answers whose weights differ by less than this share of what all votes could weigh are tied."""

MAX_WEIGHT = 1e100
"""Larger than any `L * w - 1`; sums of such weights stay finite."""


@dataclass(frozen=True, slots=True)
class Ballot(Generic[Source]):
    """The vote of one source.

    >>> Ballot("herald", "text:oslo", "Oslo", weight=2.5).weight
    2.5
    """

    source_id: Source
    answer_key: str
    """The answer class it votes for, see `answering.equivalence`."""
    answer: str
    """The answer as the reader gave it."""
    weight: float = 1.0
    certainty: float = 1.0
    """The probability that it was read right, which decides between tied answers alone."""


@dataclass(frozen=True, slots=True)
class TallyLine(Generic[Source]):
    """The support of one answer class.

    >>> weighted_vote([Ballot("a", "text:oslo", "Oslo", 3.0)]).tally[0].supporters
    ('a',)
    """

    key: str
    answer: str
    """Its most frequent wording."""
    weight: float
    share: float
    """Share of the summed positive weights, in [0, 1]; 0 for a negative weight."""
    supporters: tuple[Source, ...]
    """Supporters in the order of their ballots."""
    count: int
    """Number of votes."""


@dataclass(frozen=True, slots=True)
class VoteResult(Generic[Source]):
    """The result of a vote. There is no winner without ballots and where no answer has a positive weight.

    >>> weighted_vote([]).winner is None
    True
    """

    winner: str | None
    """The key of the winning class."""
    answer: str | None
    """Its most frequent wording."""
    tally: tuple[TallyLine[Source], ...]
    """The winner first, then by descending weight."""
    margin: float
    """The winner's weight minus the runner-up's (0 without one) over the sum of |v|, in [0, 1]; 0 for a tie."""
    dissent: tuple[Ballot[Source], ...]
    """The ballots for other answers."""
    tied: bool


def weighted_vote(ballots: Sequence[Ballot[Source]]) -> VoteResult[Source]:
    """The winner, the tally and the dissent; the order of the ballots affects only that of supporters and dissent.

    Of tied answers the one with more votes wins, then the one with the surest ballot, then the one whose key sorts
    first. Raises `BadParameter` for a source that votes twice and for a weight that is NaN or beyond `MAX_WEIGHT`.

    >>> result = weighted_vote([Ballot("a", "text:oslo", "Oslo", 3.0), Ballot("b", "text:bergen", "Bergen", 1.0)])
    >>> result.answer, result.margin
    ('Oslo', 0.5)
    """
    _check(ballots)
    surest: defaultdict[str, float] = defaultdict(float)
    for ballot in ballots:
        surest[ballot.answer_key] = max(surest[ballot.answer_key], ballot.certainty)
    lines = sorted(_tally(ballots), key=lambda line: (-line.weight, -line.count, -surest[line.key], line.key))
    if not lines:
        return VoteResult(None, None, (), 0.0, (), tied=False)
    rounding = slack(ballots)
    if lines[0].weight <= rounding:
        return VoteResult(None, None, tuple(lines), 0.0, (), tied=False)
    top = [line for line in lines if lines[0].weight - line.weight <= rounding]
    tied = len(top) > 1
    winner = min(top, key=lambda line: (-line.count, -surest[line.key], line.key))
    others = [line for line in lines if line is not winner]
    return VoteResult(
        winner=winner.key,
        answer=winner.answer,
        tally=(winner, *others),
        margin=0.0 if tied else _margin(winner.weight, others[0].weight if others else 0.0, ballots),
        dissent=tuple(ballot for ballot in ballots if ballot.answer_key != winner.key),
        tied=tied,
    )


def _check(ballots: Sequence[Ballot[Source]]) -> None:
    if len({ballot.source_id for ballot in ballots}) < len(ballots):
        raise BadParameter("a source has one vote on a question; merge the ballots of those that have several")
    for ballot in ballots:
        if not abs(ballot.weight) <= MAX_WEIGHT:
            raise BadParameter(f"source {ballot.source_id!r} can't weigh {ballot.weight}: at most ±{MAX_WEIGHT:g}")


def slack(ballots: Sequence[Ballot[Source]]) -> float:
    """The largest difference of weights that counts as rounding error."""
    return ROUNDING * math.fsum(abs(ballot.weight) for ballot in ballots)


def _tally(ballots: Sequence[Ballot[Source]]) -> list[TallyLine[Source]]:
    by_key: defaultdict[str, list[Ballot[Source]]] = defaultdict(list)
    for ballot in ballots:
        by_key[ballot.answer_key].append(ballot)
    # fsum rounds once, so a total doesn't depend on the order of its ballots.
    weights = {key: math.fsum(ballot.weight for ballot in own) for key, own in by_key.items()}
    positive = math.fsum(max(weight, 0.0) for weight in weights.values())
    return [
        TallyLine(
            key=key,
            answer=representative(ballot.answer for ballot in own),
            weight=weights[key],
            share=min(max(weights[key], 0.0) / positive, 1.0) if positive > 0 else 0.0,
            supporters=tuple(ballot.source_id for ballot in own),
            count=len(own),
        )
        for key, own in by_key.items()
    ]


def share_ahead(first: float, second: float) -> float:
    """The lead of the first of two answers as a share of the weight of both; 1 if the second one has none.

    >>> share_ahead(3.0, 1.0)
    0.5
    """
    return 1.0 if second <= 0 else (first - second) / (first + second)


def _margin(winner: float, runner_up: float, ballots: Sequence[Ballot[Source]]) -> float:
    total = math.fsum(abs(ballot.weight) for ballot in ballots)
    return min(max((winner - runner_up) / total, 0.0), 1.0) if total > 0 else 0.0
