"""An answer that is not simply that of the vote, put together: pure, the vote stays beside it."""

from collections.abc import Mapping, Set
from itertools import chain
from uuid import UUID

from answering import debates
from answering.debates import (
    Action,
    DebateAnswer,
    DebateResult,
    Decision,
    Reason,
    ReplyStatus,
    StopReason,
)
from answering.voting.outcome import Outcome
from answering.voting.vote import Ballot, confidence
from estimator.errors import CredenceError
from registry.answers.citations import citations, cite
from registry.answers.debate import Debated
from registry.answers.debate_documents import Shelved
from registry.answers.debate_record import debate_view
from registry.answers.notes import debate_notes
from registry.answers.vote import Poll
from registry.models.base import Json
from registry.results.answer import AnswerResult, Citation, Decider, SelectedSource, UsageView
from registry.results.debate import AutoView, VoteView
from registry.store.readings import storable

VOTE_INSTEAD = "The debate had no answer by then: this is that of the weighted vote."
NO_MODEL = "A debate was due, and no language model is configured (CREDENCE_CHAT_MODEL)"
VOTE_STANDS = "the weighted vote stands."
NO_VOTE = "there is no answer."
SIDE_BY_SIDE = (
    "Sources disagree and no answer is safely ahead: all stand here, the likeliest first, each with its sources."
)


def with_debate(polled: Poll, debated: Debated, seconds: float) -> AnswerResult:
    """The debate's answer beside the vote; the vote's where the debate was cut off before it had one."""
    voted, result = polled.result, debated.result
    shared = {
        "vote": _vote_of(voted),
        "debate": debate_view(debated),
        "usage": _usage(voted.usage, result, seconds),
        "conflict_score": None,
        "conflict_score_missing": None,
    }
    if voted.answers and not result.answers and _cut_off(result):
        notes = (*voted.notes, *debate_notes(debated), VOTE_INSTEAD)
        return voted.model_copy(update={**shared, "notes": notes})
    supporters = {_source(debated, name) for one in result.answers for name in one.documents}
    return voted.model_copy(
        update={
            **shared,
            "decided_by": Decider.DEBATE,
            "outcome": _outcome(result, voted.outcome),
            "answers": tuple(storable(one.answer) for one in result.answers),
            "confidence": _confidence(polled, debated),
            "citations": _citations(result, debated.documents),
            "selected_sources": _supporting(voted, supporters),
            "notes": (*voted.notes, *debate_notes(debated)),
        }
    )


def side_by_side(polled: Poll, voted: AnswerResult) -> AnswerResult:
    """All answers of the vote, each with who says so and where; what they are worth as one is to be scored anew."""
    lines = debates.side_by_side(polled.vote)
    supporters = {source_id for line in lines for source_id in line.supporters}
    found = (citations(line.supporters, polled.walked.heard, of=line.answer) for line in lines)
    return voted.model_copy(
        update={
            "decided_by": Decider.READINGS,
            "outcome": Outcome.CONFLICTING,
            "answers": tuple(line.answer for line in lines),
            "vote": _vote_of(voted),
            "citations": tuple(chain.from_iterable(found)),
            "selected_sources": _supporting(voted, supporters),
            "conflict_score": None,
            "conflict_score_missing": None,
            "notes": (*voted.notes, SIDE_BY_SIDE),
        }
    )


def with_decision(result: AnswerResult, decision: Decision) -> AnswerResult:
    """What `auto` came to, with its reasons."""
    auto = AutoView(action=decision.action, reasons=decision.reasons)
    abstains = decision.action is Action.ABSTAIN
    if Reason.NO_MODEL in decision.reasons:
        note = f"{NO_MODEL}: {NO_VOTE if abstains else VOTE_STANDS}"
        result = result.model_copy(update={"notes": (*result.notes, note)})
    return _abstained(result, auto) if abstains else result.model_copy(update={"auto": auto})


def undebated(voted: AnswerResult, decision: Decision, error: CredenceError) -> AnswerResult:
    """The vote, where a debate was due and the model never replied; nothing where no reading answered."""
    stands = VOTE_STANDS if voted.answers else NO_VOTE
    note = f"A debate was due and could not be held: {storable(str(error))} So {stands}"
    auto = AutoView(action=decision.action, reasons=decision.reasons)
    if not voted.answers:
        return _abstained(voted.model_copy(update={"notes": (*voted.notes, note)}), auto)
    return voted.model_copy(update={"auto": auto, "notes": (*voted.notes, note)})


def vote_step(result: AnswerResult) -> Json:
    """What those who follow an answer are told of the vote."""
    return {
        "outcome": result.outcome,
        "answers": [storable(one) for one in result.answers],
        "margin": result.margin,
        "selected": len(result.selected_sources),
        "readings": result.usage.readings,
    }


def _abstained(result: AnswerResult, auto: AutoView) -> AnswerResult:
    disputed = len(result.tally) > 1
    update = {
        "auto": auto,
        "vote": _vote_of(result),
        "decided_by": Decider.NOBODY,
        "outcome": Outcome.CONFLICTING if disputed else result.outcome if not result.tally else Outcome.UNSUPPORTED,
        "answers": (),
        "confidence": 0.0,
        "citations": (),
        "notes": (*result.notes, _why_none(auto)),
    }
    return result.model_copy(update=update)


def _vote_of(result: AnswerResult) -> VoteView:
    return VoteView(outcome=result.outcome, answers=result.answers, confidence=result.confidence)


def _supporting(voted: AnswerResult, supporters: Set[UUID]) -> tuple[SelectedSource, ...]:
    return tuple(one.model_copy(update={"supports": one.source_id in supporters}) for one in voted.selected_sources)


def _why_none(auto: AutoView) -> str:
    reasons = ", ".join(reason.replace("_", " ") for reason in auto.reasons)
    return f"No answer holds ({reasons}); `vote` and `tally` say what the sources said."


def _outcome(result: DebateResult, voted: Outcome) -> Outcome:
    if any(one.documents for one in result.answers):
        return Outcome.ANSWERED
    return Outcome.NO_EVIDENCE if voted is Outcome.NO_EVIDENCE and not result.answers else Outcome.UNSUPPORTED


def _cut_off(result: DebateResult) -> bool:
    spent = result.stop_reason is StopReason.OUT_OF_BUDGET
    return spent or any(turn.status is ReplyStatus.FAILED for turn in result.transcript)


def _confidence(polled: Poll, debated: Debated) -> float:
    """The posterior of the first answer, as that of a vote in which every source with a document for it votes so."""
    first = next(iter(debated.result.answers), None)
    if first is None or not first.documents:
        return 0.0
    own = dict.fromkeys((_source(debated, name) for name in first.documents), first.key)
    keys = {ballot.source_id: ballot.answer_key for ballot in polled.ballots} | own
    heard = polled.weights.independent(keys)
    ballots = [Ballot(source_id, keys[source_id], keys[source_id]) for source_id in heard]
    return confidence(ballots, {source_id: polled.weights.reliability(source_id) for source_id in heard}, first.key)


def _citations(result: DebateResult, documents: Mapping[str, Shelved]) -> tuple[Citation, ...]:
    """One an answer and document."""
    return tuple(found for one in result.answers for found in _cited(one, documents))


def _cited(one: DebateAnswer, documents: Mapping[str, Shelved]) -> list[Citation]:
    answer = storable(one.answer)
    cited = (cite(documents[name].passages, answer, of=answer) for name in one.documents)
    return [found for found in cited if found is not None]


def _source(debated: Debated, name: str) -> UUID:
    return debated.documents[name].standing.source_id


def _usage(voted: UsageView, result: DebateResult, seconds: float) -> UsageView:
    return voted.model_copy(
        update={
            "model_calls": voted.model_calls + result.usage.model_calls,
            "input_tokens": voted.input_tokens + result.usage.input_tokens,
            "output_tokens": voted.output_tokens + result.usage.output_tokens,
            "milliseconds": seconds * 1000,
        }
    )
