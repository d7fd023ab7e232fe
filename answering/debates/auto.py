"""When a vote is enough, what happens where it is not, and when there is nothing to answer with: a pure decision."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic

from answering.errors import BadParameter
from answering.models.usage import Budget
from answering.voting.certificate import Certificate
from answering.voting.vote import Source, TallyLine, VoteResult


class Action(StrEnum):
    """What to do with a question."""

    VOTE = "vote"
    SIDE_BY_SIDE = "side_by_side"
    """All answers of the vote are given, each with the sources it is from: no model is asked."""
    DEBATE = "debate"
    ABSTAIN = "abstain"


class Reason(StrEnum):
    """What speaks for the action."""

    NO_VOTES = "no_votes"
    """No reading answered; documents that were read may hold an answer all the same."""
    NO_DOCUMENTS = "no_documents"
    """No source has anything to read on the question."""
    UNDISPUTED = "undisputed"
    """All votes are for one answer."""
    SAFE = "safe"
    """Sources disagree, but margin, certificate and confidence are high enough, and the ConflictScore low enough."""
    TIED = "tied"
    NARROW_MARGIN = "narrow_margin"
    FRAGILE = "fragile"
    """Too few corrupted sources would take the win from the answer."""
    LOW_CONFIDENCE = "low_confidence"
    CONFLICT_SCORE = "conflict_score"
    """Too many documents contradict the answer."""
    NO_MODEL = "no_model"
    """A debate would be due, and no language model is configured."""
    NO_BUDGET = "no_budget"
    """A debate would be due, and the budget does not allow for it."""


@dataclass(frozen=True, slots=True)
class AutoSettings:
    """Where a vote is safe, and whether a debate is held where it is not.

    A disputed vote is safe with at least `margin`, `certificate` and `confidence` and at most `conflict`. Where it is
    not, its answers stand side by side; with `debate` a debate is held, and where none can be had, the vote stands all
    the same if it is not tied. There is no answer at all where the winner's confidence is below `floor` and no debate
    is held; that goes for an answer that nobody disputes too, which a debate cannot make surer.
    """

    margin: float = 0.5
    certificate: int = 2
    confidence: float = 0.8
    conflict: float = 0.5
    floor: float = 0.0
    debate: bool = False

    def __post_init__(self) -> None:
        for name in ("margin", "confidence", "conflict", "floor"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise BadParameter(f"{name} is in 0 to 1, not {getattr(self, name)}")
        if self.certificate < 0:
            raise BadParameter(f"a certificate has 0 sources or more, not {self.certificate}")


@dataclass(frozen=True, slots=True)
class VoteEvidence(Generic[Source]):
    """What is known when the decision falls. `confidence` is the posterior of the winner; None is not known."""

    vote: VoteResult[Source]
    certificate: Certificate[Source] | None = None
    confidence: float | None = None
    conflict: float | None = None
    """The ConflictScore of the winner: the share of the documents that speak on it and contradict it (CS-R)."""


@dataclass(frozen=True, slots=True)
class DebateResources:
    """What a debate could be held with: whether there is a model, what is left, the calls without which a debate comes
    to nothing, and whether there is a document to hold it over.
    """

    model: bool
    left: Budget = field(default_factory=Budget)
    least_calls: int = 1
    documents: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """The action and all that speaks for it."""

    action: Action
    reasons: tuple[Reason, ...]


def decide(evidence: VoteEvidence[Source], means: DebateResources, settings: AutoSettings | None = None) -> Decision:
    """The cheapest action that the evidence allows."""
    given = settings or AutoSettings()
    if not evidence.vote.tally:
        return _unanswered(means)
    if len(evidence.vote.tally) == 1 and not _contradicted(evidence, given):
        return _undisputed(evidence, given)
    doubts = _doubts(evidence, given)
    if not doubts:
        return Decision(Action.VOTE, (Reason.SAFE,))
    if not given.debate:
        return _undebated(evidence, given, doubts)
    hindrance = _hindrance(means)
    if hindrance is None:
        return Decision(Action.DEBATE, doubts)
    stands = evidence.vote.winner is not None and not evidence.vote.tied and _above_floor(evidence, given)
    return Decision(Action.VOTE if stands else Action.ABSTAIN, (*doubts, hindrance))


def side_by_side(vote: VoteResult[Source]) -> tuple[TallyLine[Source], ...]:
    """The answers that can be given beside each other, the winner first: those that some weight speaks for."""
    return tuple(line for line in vote.tally if line.weight > 0) or vote.tally[:1]


def _undebated(evidence: VoteEvidence[Source], given: AutoSettings, doubts: tuple[Reason, ...]) -> Decision:
    if not _above_floor(evidence, given):
        return Decision(Action.ABSTAIN, tuple(dict.fromkeys((*doubts, Reason.LOW_CONFIDENCE))))
    alone = len(side_by_side(evidence.vote)) == 1
    return Decision(Action.VOTE if alone else Action.SIDE_BY_SIDE, doubts)


def _unanswered(means: DebateResources) -> Decision:
    """A reader may have missed what stands in the documents: there is nothing to lose but the calls."""
    hindrance = _hindrance(means) if means.documents else Reason.NO_DOCUMENTS
    if hindrance is None:
        return Decision(Action.DEBATE, (Reason.NO_VOTES,))
    return Decision(Action.ABSTAIN, (Reason.NO_VOTES, hindrance))


def _undisputed(evidence: VoteEvidence[Source], given: AutoSettings) -> Decision:
    if evidence.vote.winner is not None and _above_floor(evidence, given):
        return Decision(Action.VOTE, (Reason.UNDISPUTED,))
    return Decision(Action.ABSTAIN, (Reason.UNDISPUTED, Reason.LOW_CONFIDENCE))


def _doubts(evidence: VoteEvidence[Source], given: AutoSettings) -> tuple[Reason, ...]:
    size = evidence.certificate.size if evidence.certificate else None
    unsure = evidence.confidence is not None and evidence.confidence < given.confidence
    found = {
        Reason.TIED: evidence.vote.tied,
        Reason.NARROW_MARGIN: evidence.vote.margin < given.margin,
        Reason.FRAGILE: size is not None and size < given.certificate,
        Reason.LOW_CONFIDENCE: unsure,
        Reason.CONFLICT_SCORE: _contradicted(evidence, given),
    }
    return tuple(reason for reason, holds in found.items() if holds)


def _contradicted(evidence: VoteEvidence[Source], given: AutoSettings) -> bool:
    return evidence.conflict is not None and evidence.conflict > given.conflict


def _above_floor(evidence: VoteEvidence[Source], given: AutoSettings) -> bool:
    return evidence.confidence is None or evidence.confidence >= given.floor


def _hindrance(means: DebateResources) -> Reason | None:
    if not means.model:
        return Reason.NO_MODEL
    left = means.left
    short = left.calls is not None and left.calls < means.least_calls
    return Reason.NO_BUDGET if short or left.tokens == 0 or left.seconds == 0 else None
