"""`auto`: when the vote is safe enough to stand, and what happens otherwise. A pure decision, no model is called."""

from dataclasses import dataclass, field
from typing import Generic

from answering.debates.schema import Action, AutoSettings, Reason
from answering.debates.strategy import StrategyDefinition
from answering.models.usage import Budget
from answering.voting.certificate import Certificate
from answering.voting.vote import Source, TallyLine, VoteResult


@dataclass(frozen=True, slots=True)
class VoteEvidence(Generic[Source]):
    """The vote and what is known of it; None is not known.

    `confidence` is the posterior probability of the winner. `conflict` is its ConflictScore: among the documents that
    support or contradict it the share that contradicts it (CS-R).

    >>> from answering.voting.vote import Ballot, weighted_vote
    >>> VoteEvidence(weighted_vote([Ballot("a", "1963", "1963")]), confidence=0.9).confidence
    0.9
    """

    vote: VoteResult[Source]
    certificate: Certificate[Source] | None = None
    confidence: float | None = None
    conflict: float | None = None


@dataclass(frozen=True, slots=True)
class DebateResources:
    """Whether a debate can be held: `min_calls` is the number of model calls below which it has no result.

    >>> DebateResources(model=True, left=Budget(calls=3), min_calls=4).hindrance
    <Reason.NO_BUDGET: 'no_budget'>
    """

    model: bool
    left: Budget = field(default_factory=Budget)
    min_calls: int = 1
    documents: bool = True

    @property
    def hindrance(self) -> Reason | None:
        """The reason why no debate can be held over documents; None if one can."""
        if not self.model:
            return Reason.NO_MODEL
        too_few_calls = self.left.calls is not None and self.left.calls < self.min_calls
        return Reason.NO_BUDGET if too_few_calls or self.left.tokens == 0 or self.left.seconds == 0 else None


@dataclass(frozen=True, slots=True)
class Decision:
    """An action and all reasons for it.

    >>> Decision(Action.VOTE, (Reason.UNDISPUTED,)).action
    <Action.VOTE: 'vote'>
    """

    action: Action
    reasons: tuple[Reason, ...]


def decide(
    evidence: VoteEvidence[Source], resources: DebateResources, settings: AutoSettings | None = None
) -> Decision:
    """The action with the fewest model calls that the evidence allows.

    An undisputed vote stands, and so does a disputed one with at least the margin, the certificate and the confidence
    and at most the conflict of the settings. Otherwise a debate is held, if the settings name one; where none can be
    held, the vote stands if it is not tied. Without a debate the answers with enough weight stand side by side, or the
    first alone. There is no answer where no debate is held and the confidence is below the floor; a debate cannot raise
    the confidence of an undisputed answer.

    >>> from answering.voting.vote import Ballot, weighted_vote
    >>> vote = weighted_vote([Ballot("a", "1963", "1963"), Ballot("b", "1956", "1956")])
    >>> decide(VoteEvidence(vote), DebateResources(model=False)).action
    <Action.SIDE_BY_SIDE: 'side_by_side'>
    """
    settings = settings or AutoSettings()
    if not evidence.vote.tally:
        return _without_votes(resources)
    if evidence.vote.winner is None:
        return Decision(Action.ABSTAIN, (Reason.NOBODY_RELIABLE,))
    if len(evidence.vote.tally) == 1 and not _contradicted(evidence, settings):
        return _undisputed(evidence, settings)
    doubts = _doubts(evidence, settings)
    if not doubts:
        return Decision(Action.VOTE, (Reason.SAFE,))
    if settings.debate is None:
        return _without_debate(evidence, settings, doubts)
    return _with_debate(evidence, resources, settings, doubts)


def side_by_side(vote: VoteResult[Source], least_share: float) -> tuple[TallyLine[Source], ...]:
    """The lines of the tally with at least a share of the winner's weight, which is first; that one if it has none.

    >>> from answering.voting.vote import Ballot, weighted_vote
    >>> weights = {"1963": 1.0, "1956": 2.0, "1971": 0.5, "1970": -1.0}
    >>> vote = weighted_vote([Ballot(answer, answer, answer, weight) for answer, weight in weights.items()])
    >>> [line.answer for line in side_by_side(vote, least_share=0.5)]
    ['1956', '1963']
    """
    least = least_share * max((line.weight for line in vote.tally), default=0.0)
    return tuple(line for line in vote.tally if line.weight > 0 and line.weight >= least) or vote.tally[:1]


def _without_votes(resources: DebateResources) -> Decision:
    # A reader may have missed what the documents say, so that a debate is worth its calls.
    hindrance = resources.hindrance if resources.documents else Reason.NO_DOCUMENTS
    if hindrance is None:
        return Decision(Action.DEBATE, (Reason.NO_VOTES,))
    return Decision(Action.ABSTAIN, (Reason.NO_VOTES, hindrance))


def _undisputed(evidence: VoteEvidence[Source], settings: AutoSettings) -> Decision:
    if evidence.vote.winner is not None and _above_floor(evidence, settings):
        return Decision(Action.VOTE, (Reason.UNDISPUTED,))
    return Decision(Action.ABSTAIN, (Reason.UNDISPUTED, Reason.LOW_CONFIDENCE))


def _without_debate(evidence: VoteEvidence[Source], settings: AutoSettings, doubts: tuple[Reason, ...]) -> Decision:
    if not _above_floor(evidence, settings):
        return Decision(Action.ABSTAIN, tuple(dict.fromkeys((*doubts, Reason.LOW_CONFIDENCE))))
    is_alone = len(side_by_side(evidence.vote, settings.least_share)) == 1
    return Decision(Action.VOTE if is_alone else Action.SIDE_BY_SIDE, doubts)


def _with_debate(
    evidence: VoteEvidence[Source], resources: DebateResources, settings: AutoSettings, doubts: tuple[Reason, ...]
) -> Decision:
    hindrance = resources.hindrance
    if hindrance is None:
        return Decision(Action.DEBATE, doubts)
    stands = evidence.vote.winner is not None and not evidence.vote.tied and _above_floor(evidence, settings)
    return Decision(Action.VOTE if stands else Action.ABSTAIN, (*doubts, hindrance))


def _doubts(evidence: VoteEvidence[Source], settings: AutoSettings) -> tuple[Reason, ...]:
    size = evidence.certificate.size if evidence.certificate else None
    doubts = {
        Reason.TIED: evidence.vote.tied,
        Reason.NARROW_MARGIN: evidence.vote.margin < settings.margin,
        Reason.FRAGILE: size is not None and size < settings.certificate,
        Reason.LOW_CONFIDENCE: evidence.confidence is not None and evidence.confidence < settings.confidence,
        Reason.CONFLICT_SCORE: _contradicted(evidence, settings),
    }
    return tuple(reason for reason, holds in doubts.items() if holds)


def _contradicted(evidence: VoteEvidence[Source], settings: AutoSettings) -> bool:
    return evidence.conflict is not None and evidence.conflict > settings.conflict


def _above_floor(evidence: VoteEvidence[Source], settings: AutoSettings) -> bool:
    return evidence.confidence is None or evidence.confidence >= settings.floor


AUTO = StrategyDefinition("auto", AutoSettings)
