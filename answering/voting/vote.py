"""The weighted vote over one question's answers: `argmax_a sum_i v_i [vote_i = a]`, RA-RAG section 3.4.

The posterior that goes with it is that of the one-coin model, `confidence`.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from answering.equivalence import representative
from answering.errors import BadParameter
from estimator.policies import NegativeWeights, TiePolicy

Source = TypeVar("Source", bound=Hashable)

ROUNDING = 1e-10
"""Answers whose weights differ by less than this share of what all votes could weigh are tied."""

MAX_WEIGHT = 1e100
"""Far beyond any `L * w - 1`, and the sum of as many votes as one likes is still a number."""

DEFAULT_WRONG_ANSWERS = 9
"""How many wrong answers RA-RAG section 4 invents for every question."""

_RELIABILITY_FLOOR, _RELIABILITY_CEILING = 0.01, 0.99


@dataclass(frozen=True, slots=True)
class Ballot(Generic[Source]):
    """The vote of one source."""

    source_id: Source
    answer_key: str
    """The answer class it votes for, see `answering.equivalence`."""
    answer: str
    """The answer as the reader gave it."""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class TallyLine(Generic[Source]):
    """What one answer class got."""

    key: str
    answer: str
    """Its most usual spelling."""
    weight: float
    share: float
    """Of what all answers above zero weigh together, in [0, 1]; 0 for one below."""
    supporters: tuple[Source, ...]
    """In the order of their ballots."""
    count: int
    """Votes, whatever they weigh."""


@dataclass(frozen=True, slots=True)
class VoteResult(Generic[Source]):
    """What a vote came to. Without ballots, and for a tie under `NO_ANSWER`, there is no winner."""

    winner: str | None
    """The key of the winning class."""
    answer: str | None
    """Its most usual spelling."""
    tally: tuple[TallyLine[Source], ...]
    """The winner first, then the heavier before the lighter."""
    margin: float
    """The winner's weight minus the runner-up's (0 without one) over the sum of |v|, in [0, 1]; 0 for a tie."""
    runner_up: TallyLine[Source] | None
    dissent: tuple[Ballot[Source], ...]
    """The ballots for other answers than the winner."""
    tied: bool


@dataclass(frozen=True, slots=True)
class Posterior:
    """How probable every answer is under the one-coin model; the numbers add up to 1."""

    by_key: Mapping[str, float]
    none_of_these: float
    """The truth is an answer that nobody gave."""


def weighted_vote(
    ballots: Sequence[Ballot[Source]],
    *,
    ties: TiePolicy = TiePolicy.SUPPORTERS,
    negative: NegativeWeights = NegativeWeights.KEEP,
) -> VoteResult[Source]:
    """Count the ballots; their order changes nothing but the order of supporters and dissent.

    Raises `BadParameter` for a source that votes twice and for a weight that is no number or beyond `MAX_WEIGHT`.
    """
    counted = effective(ballots, negative)
    lines = sorted(_tally(counted), key=lambda line: (-line.weight, -line.count, line.key))
    if not lines:
        return VoteResult(None, None, (), 0.0, None, (), tied=False)
    top = [line for line in lines if lines[0].weight - line.weight <= slack(counted)]
    tied = len(top) > 1
    if tied and ties is TiePolicy.NO_ANSWER:
        return VoteResult(None, None, tuple(lines), 0.0, None, (), tied=True)
    winner = min(top, key=lambda line: (-line.count if ties is TiePolicy.SUPPORTERS else 0, line.key))
    others = [line for line in lines if line is not winner]
    return VoteResult(
        winner=winner.key,
        answer=winner.answer,
        tally=(winner, *others),
        margin=0.0 if tied else _margin(winner.weight, others[0].weight if others else 0.0, counted),
        runner_up=others[0] if others else None,
        dissent=tuple(ballot for ballot in counted if ballot.answer_key != winner.key),
        tied=tied,
    )


def effective(ballots: Sequence[Ballot[Source]], negative: NegativeWeights) -> tuple[Ballot[Source], ...]:
    """The ballots with the weights they count with."""
    if len({ballot.source_id for ballot in ballots}) < len(ballots):
        raise BadParameter("a source has one vote on a question; merge the ballots of those that have several")
    for ballot in ballots:
        if not abs(ballot.weight) <= MAX_WEIGHT:
            raise BadParameter(f"source {ballot.source_id!r} can't weigh {ballot.weight}: at most ±{MAX_WEIGHT:g}")
    if negative is NegativeWeights.KEEP:
        return tuple(ballots)
    return tuple(replace(ballot, weight=max(ballot.weight, 0.0)) for ballot in ballots)


def slack(ballots: Sequence[Ballot[Source]]) -> float:
    """The difference in weight that is no more than rounding."""
    return ROUNDING * math.fsum(abs(ballot.weight) for ballot in ballots)


def posterior(
    ballots: Sequence[Ballot[Source]],
    reliabilities: Mapping[Source, float],
    wrong_answers: int = DEFAULT_WRONG_ANSWERS,
) -> Posterior:
    """The posterior over answers of the one-coin model with a uniform prior (RA-RAG section 4's generator).

    A source is right with probability w_i and else gives one of W equally plausible wrong answers, so

        P(a | votes) = L(a) / (sum_b L(b) + (W + 1 - K) L_0),
        L(a) = prod_{i votes a} w_i prod_{i votes otherwise} (1 - w_i) / W,    L_0 = prod_i (1 - w_i) / W

    where b runs over the K answers voted for and the last term is the mass of the others. W is `wrong_answers`,
    or K if that is more, so that the truth may always be missing; w_i is clipped to [0.01, 0.99].
    Raises `BadParameter` for a source without a reliability in [0, 1] and for fewer than one wrong answer.
    """
    if wrong_answers < 1:
        raise BadParameter(f"a question has at least 1 plausible wrong answer, not {wrong_answers}")
    evidence: defaultdict[str, list[float]] = defaultdict(list)
    wrong = max(wrong_answers, len({ballot.answer_key for ballot in ballots}))
    for ballot in effective(ballots, NegativeWeights.KEEP):
        reliability = _clipped(ballot.source_id, reliabilities)
        evidence[ballot.answer_key].append(math.log(reliability * wrong / (1.0 - reliability)))
    # log L(a) / L_0: the factors of the sources that vote otherwise cancel.
    log_odds = {key: math.fsum(terms) for key, terms in evidence.items()}
    return _normalised(log_odds, math.log(wrong + 1 - len(log_odds)))


def confidence(
    ballots: Sequence[Ballot[Source]],
    reliabilities: Mapping[Source, float],
    winner: str | None,
    wrong_answers: int = DEFAULT_WRONG_ANSWERS,
) -> float:
    """The probability that the winner is the truth, see `posterior`; 0 without a winner."""
    if winner is None:
        return 0.0
    return posterior(ballots, reliabilities, wrong_answers).by_key.get(winner, 0.0)


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


def _margin(winner: float, runner_up: float, ballots: Sequence[Ballot[Source]]) -> float:
    total = math.fsum(abs(ballot.weight) for ballot in ballots)
    return min(max((winner - runner_up) / total, 0.0), 1.0) if total > 0 else 0.0


def _clipped(source_id: Source, reliabilities: Mapping[Source, float]) -> float:
    reliability = reliabilities.get(source_id, math.nan)
    if not 0.0 <= reliability <= 1.0:
        raise BadParameter(f"the reliability of source {source_id!r} must be given and in 0 to 1, not {reliability}")
    return min(max(reliability, _RELIABILITY_FLOOR), _RELIABILITY_CEILING)


def _normalised(log_odds: Mapping[str, float], log_others: float) -> Posterior:
    largest = max(log_others, *log_odds.values()) if log_odds else log_others
    masses = {key: math.exp(value - largest) for key, value in log_odds.items()}
    others = math.exp(log_others - largest)
    total = math.fsum((*masses.values(), others))
    return Posterior({key: mass / total for key, mass in masses.items()}, others / total)
