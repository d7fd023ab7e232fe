"""Resolves a question by a strategy that may hold a debate: by that, by answers side by side, the vote, or nothing."""

from dataclasses import replace
from uuid import UUID

from answering.debates.auto import DebateResources, Decision, VoteEvidence, decide, side_by_side
from answering.debates.protocol import DebateResult
from answering.debates.schema import Action, Reason, ReplyStatus, StopReason
from answering.errors import ModelError
from answering.voting import Outcome, TallyLine
from estimator.errors import CredenceError
from registry.answers.conclusion import (
    NOTHING_HOLDS,
    Conclusion,
    Resolution,
    cite,
    cite_lines,
    unless_likely,
    with_reliable,
)
from registry.answers.debates.debate import HeldDebate, affordable_debate, hold_debate
from registry.answers.evidence import Evidence
from registry.answers.question import QuestionContext
from registry.answers.result_schemas import Citation, Decider
from registry.answers.schemas import Strategy
from registry.conflict_scores.scoring import ConflictScoring, score_answers
from registry.platform.fields import storable

VOTE_INSTEAD = "The debate reached no answer in time. This is the answer of the weighted vote."
NO_MODEL = "A debate was needed, but no language model is configured (CREDENCE_CHAT_MODEL)"
VOTE_STANDS = "this is the answer of the weighted vote."
NO_ANSWER = "there is no answer."
SIDE_BY_SIDE = (
    "Sources disagree, and no answer is safely ahead. All answers with enough weight are given, the most likely first."
)

AUTO_ABSTAINS = Decision(Action.ABSTAIN, (Reason.NOBODY_RELIABLE,))


async def resolve(context: QuestionContext, evidence: Evidence, vote: Conclusion) -> Resolution:
    """The conclusion of a strategy that may hold a debate. Raises `ModelError` if one that it names gets no reply."""
    is_auto = context.parameters.strategy is Strategy.AUTO
    if evidence.nobody_reliable:
        return Resolution(NOTHING_HOLDS, vote, AUTO_ABSTAINS if is_auto else None)
    if is_auto:
        return await _escalate(context, evidence, vote)
    debate = await hold_debate(context, evidence)
    return Resolution(_conclude_debate(evidence, vote, debate), vote, debate=debate)


async def _escalate(context: QuestionContext, evidence: Evidence, vote: Conclusion) -> Resolution:
    """Decide by the vote and its ConflictScore what the answer is, and hold a debate if one is due.

    A debate that cannot be held leaves the answer of the vote.
    """
    scored = await score_answers(
        context.runtime,
        context.question,
        vote.answers,
        passages=evidence.passages,
        sources=evidence.sources,
        electorate=evidence.count.electorate,
        copies=evidence.copies,
    )
    decision = await _decide(context, evidence, vote, scored)
    if decision.action is Action.DEBATE:
        try:
            debate = await hold_debate(context, evidence)
        except ModelError as error:
            conclusion = _conclude_without_debate(evidence, vote, decision, error)
            return Resolution(conclusion, vote, decision, conflict=scored)
        return Resolution(_conclude_debate(evidence, vote, debate), vote, decision, debate, earlier_conflict=scored)
    if decision.action is Action.SIDE_BY_SIDE:
        reliable = replace(evidence.vote, tally=with_reliable(evidence, evidence.vote.tally))
        lines = side_by_side(reliable, context.parameters.auto_parameters().least_share)
        return Resolution(_conclude_side_by_side(evidence, lines), vote, decision, earlier_conflict=scored)
    return Resolution(_conclude_decision(evidence, vote, decision), vote, decision, conflict=scored)


async def _decide(context: QuestionContext, evidence: Evidence, vote: Conclusion, scored: ConflictScoring) -> Decision:
    parameters = context.parameters
    documents = min(len({passage.document_id for passage in evidence.passages}), parameters.max_documents)
    strategy = parameters.debate_strategy(answered=bool(evidence.count.ballots))
    return decide(
        VoteEvidence(
            evidence.vote,
            evidence.certificate,
            vote.confidence if vote.answers else None,
            scored.score.cs_r if scored.score else None,
        ),
        DebateResources(
            context.runtime.chat is not None,
            await affordable_debate(context),
            strategy.definition.min_calls(documents, parameters.parameters_of(strategy)),
            documents > 0,
        ),
        parameters.auto_parameters(),
    )


def _conclude_side_by_side(evidence: Evidence, lines: tuple[TallyLine[UUID], ...]) -> Conclusion:
    """The answers of the vote that sources which take part support, each with those; one may be left."""
    confidence = evidence.probabilities[lines[0].key] if lines else 0.0
    return Conclusion(
        Decider.READINGS,
        Outcome.CONFLICTING if len(lines) > 1 else Outcome.ANSWERED,
        tuple(line.answer for line in lines),
        confidence,
        frozenset(source_id for line in lines for source_id in line.supporters),
        cite_lines(evidence, lines),
        (SIDE_BY_SIDE,) if len(lines) > 1 else unless_likely(confidence),
        evidence.is_capped,
    )


def _conclude_debate(evidence: Evidence, vote: Conclusion, debate: HeldDebate) -> Conclusion:
    """The answers of the debate; those of the vote if the debate was cut off before it had one."""
    result, notes = debate.result, debate.notes
    if vote.answers and not result.answers and _was_cut_off(result):
        return replace(vote, notes=(*notes, VOTE_INSTEAD))
    confidence, is_capped = _debate_confidence(evidence, debate)
    return Conclusion(
        Decider.DEBATE,
        _debate_outcome(result, vote.outcome),
        tuple(storable(answer.answer) for answer in result.answers),
        confidence,
        frozenset(_publisher(debate, name) for answer in result.answers for name in answer.documents),
        _debate_citations(debate),
        notes,
        is_capped,
    )


def _conclude_decision(evidence: Evidence, vote: Conclusion, decision: Decision) -> Conclusion:
    """The vote or nothing, as `auto` decided."""
    abstains = decision.action is Action.ABSTAIN
    notes = (f"{NO_MODEL}: {NO_ANSWER if abstains else VOTE_STANDS}",) if Reason.NO_MODEL in decision.reasons else ()
    return _abstain(evidence, vote, decision, notes) if abstains else replace(vote, notes=notes)


def _conclude_without_debate(
    evidence: Evidence, vote: Conclusion, decision: Decision, error: CredenceError
) -> Conclusion:
    """The vote, or nothing if it has no answer, where the debate that was due failed with `error`."""
    consequence = VOTE_STANDS if vote.answers else NO_ANSWER
    notes = (f"A debate was needed but could not be held: {storable(str(error))} So {consequence}",)
    return replace(vote, notes=notes) if vote.answers else _abstain(evidence, vote, decision, notes)


def _abstain(evidence: Evidence, vote: Conclusion, decision: Decision, notes: tuple[str, ...]) -> Conclusion:
    outcome = vote.outcome if not evidence.vote.tally else Outcome.UNSUPPORTED
    reasons = ", ".join(reason.replace("_", " ") for reason in decision.reasons)
    return Conclusion(
        Decider.NOBODY,
        Outcome.CONFLICTING if len(evidence.vote.tally) > 1 else outcome,
        (),
        0.0,
        vote.supporters,
        (),
        (*notes, f"No answer is safe enough ({reasons}); the tally has the answers of the sources."),
    )


def _debate_outcome(result: DebateResult, voted: Outcome) -> Outcome:
    if any(answer.documents for answer in result.answers):
        return Outcome.ANSWERED
    return Outcome.NO_EVIDENCE if voted is Outcome.NO_EVIDENCE and not result.answers else Outcome.UNSUPPORTED


def _was_cut_off(result: DebateResult) -> bool:
    out_of_budget = result.stop_reason is StopReason.OUT_OF_BUDGET
    return out_of_budget or any(turn.status is ReplyStatus.FAILED for turn in result.transcript)


def _debate_confidence(evidence: Evidence, debate: HeldDebate) -> tuple[float, bool]:
    """Posterior of the first answer if sources with a document for it vote so, the others as before; is it capped?"""
    first = next(iter(debate.result.answers), None)
    if first is None or not first.documents:
        return 0.0, False
    votes = {ballot.source_id: ballot.answer_key for ballot in evidence.count.ballots}
    votes |= dict.fromkeys((_publisher(debate, name) for name in first.documents), first.key)
    electorate = evidence.count.electorate
    probability = electorate.probabilities(votes)[first.key]
    return probability, electorate.is_capped(votes, first.key, probability)


def _debate_citations(debate: HeldDebate) -> tuple[Citation, ...]:
    citations = (
        cite(debate.documents[name].passages, storable(answer.answer), for_answer=storable(answer.answer))
        for answer in debate.result.answers
        for name in answer.documents
    )
    return tuple(citation for citation in citations if citation is not None)


def _publisher(debate: HeldDebate, document: str) -> UUID:
    return debate.documents[document].source.source_id
