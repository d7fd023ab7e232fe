"""Resolves a question by its strategy: the vote, all its answers side by side, the answers of a debate, or none."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from uuid import UUID

from answering.debates.auto import DebateResources, Decision, VoteEvidence, decide, side_by_side
from answering.debates.protocol import DebateResult
from answering.debates.schema import Action, Reason, ReplyStatus, StopReason
from answering.errors import ModelError
from answering.voting import ListedVote, Outcome, TallyLine, closest, outcome_of
from estimator.errors import CredenceError
from registry.answers.citations import cite, cite_lists, cite_readings
from registry.answers.conflict_score import ConflictScoring, score_conflict
from registry.answers.context import QuestionContext
from registry.answers.debates.debate import HeldDebate, hold_debate
from registry.answers.evidence import Evidence
from registry.answers.result_schemas import EVEN_CHANCE, Citation, Decider
from registry.answers.schemas import Strategy
from registry.platform.fields import storable

VOTE_INSTEAD = "The debate reached no answer in time. This is the answer of the weighted vote."
NO_MODEL = "A debate was needed, but no language model is configured (CREDENCE_CHAT_MODEL)"
VOTE_STANDS = "this is the answer of the weighted vote."
NO_ANSWER = "there is no answer."
SIDE_BY_SIDE = (
    "Sources disagree, and no answer is safely ahead. All answers with enough weight are given, the most likely first."
)
UNLIKELY = "Given its sources and the confidence of the reader, this answer is more likely wrong than right."
# On 95 questions on treatments below `health_pages_dev`, 0.45 of 1,054 readings of Yes were right and 0.64 of 82 of No,
# whatever the judge's probability: what many sources say alike makes such an answer no surer.
YES_OR_NO = (
    "The compact judge decided between yes and no. It often takes a text that mentions a statement for support: on "
    "questions about treatments it is right half of the time. Read the passages, or configure a language model."
)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The answers to a question and who decided on them."""

    decided_by: Decider
    outcome: Outcome
    answers: tuple[str, ...]
    confidence: float
    """Confidence in the first answer, in [0, 1]."""
    supporters: Set[UUID]
    """Selected sources that support the answers."""
    citations: tuple[Citation, ...]
    notes: tuple[str, ...] = ()
    is_capped: bool = False
    """Whether the confidence is lower because sources that came last carry the answer."""


NOTHING_HOLDS = Conclusion(Decider.NOBODY, Outcome.UNSUPPORTED, (), 0.0, frozenset(), ())
AUTO_ABSTAINS = Decision(Action.ABSTAIN, (Reason.NOBODY_RELIABLE,))


@dataclass(frozen=True, slots=True)
class Resolution:
    """The conclusion of a question, and the steps that led to it."""

    conclusion: Conclusion
    vote: Conclusion
    """The conclusion of the weighted vote alone."""
    decision: Decision | None = None
    """The decision of the strategy `auto`."""
    debate: HeldDebate | None = None
    conflict: ConflictScoring | None = None
    """The ConflictScore of the conclusion, if it was computed on the way."""
    earlier_conflict: ConflictScoring | None = None
    """A ConflictScore of the vote that the conclusion has replaced; it counts in the cost."""


async def resolve(context: QuestionContext, evidence: Evidence) -> Resolution:
    """The conclusion of the strategy of the question. Raises `ModelError` if a debate that it names gets no reply."""
    vote = _conclude_vote(evidence, context.parameters.min_margin)
    if vote.answers and evidence.judged:
        vote = replace(vote, notes=(*vote.notes, YES_OR_NO))
    voted = {"outcome": vote.outcome, "answers": list(vote.answers), "margin": evidence.vote.margin}
    counts = {"selected": len(evidence.count.ballots), "readings": len(evidence.selection.readings)}
    await context.progress("voted", voted | counts)
    if evidence.subjects:
        return Resolution(NOTHING_HOLDS, vote)
    is_auto = (strategy := context.parameters.strategy) is Strategy.AUTO
    if (is_auto or strategy.debates) and evidence.nobody_reliable:
        return Resolution(NOTHING_HOLDS, vote, AUTO_ABSTAINS if is_auto else None)
    if is_auto:
        return await _escalate(context, evidence, vote)
    if strategy.debates:
        debate = await hold_debate(context, evidence)
        return Resolution(_conclude_debate(evidence, vote, debate), vote, debate=debate)
    return Resolution(vote, vote)


async def _escalate(context: QuestionContext, evidence: Evidence, vote: Conclusion) -> Resolution:
    """Decide by the vote and its ConflictScore what the answer is, and hold a debate if one is due.

    A debate that cannot be held leaves the answer of the vote.
    """
    scored = await score_conflict(context, evidence, vote.answers)
    decision = await _decide(context, evidence, vote, scored)
    if decision.action is Action.DEBATE:
        try:
            debate = await hold_debate(context, evidence)
        except ModelError as error:
            conclusion = _conclude_without_debate(evidence, vote, decision, error)
            return Resolution(conclusion, vote, decision, conflict=scored)
        return Resolution(_conclude_debate(evidence, vote, debate), vote, decision, debate, earlier_conflict=scored)
    if decision.action is Action.SIDE_BY_SIDE:
        reliable = replace(evidence.vote, tally=_reliable(evidence, evidence.vote.tally))
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
            await context.affordable_debate(),
            strategy.definition.min_calls(documents, parameters.parameters_of(strategy)),
            documents > 0,
        ),
        parameters.auto_parameters(),
    )


def _conclude_vote(evidence: Evidence, min_margin: float) -> Conclusion:
    """The winner of the weighted vote; if other answers are too close to it, those of them all that sources which take
    part support. Of lists the items that win.
    """
    if evidence.listed is not None:
        return _conclude_list(evidence, evidence.listed)
    lines = closest(evidence.vote, min_margin)
    if len(lines) > 1:
        lines = _reliable(evidence, lines)
    outcome = outcome_of(len(lines), found=evidence.selection.retrieved or bool(evidence.vote.tally))
    confidence = evidence.probabilities[lines[0].key] if lines else 0.0
    return Conclusion(
        Decider.VOTE,
        outcome,
        tuple(line.answer for line in lines),
        confidence,
        frozenset(source_id for line in lines for source_id in line.supporters),
        _citations(evidence, lines),
        _unless_likely(confidence) if lines else (),
        evidence.is_capped,
    )


def _conclude_list(evidence: Evidence, listed: ListedVote[UUID]) -> Conclusion:
    """The items that win, as sure as the least sure of them; those support it who list them all."""
    confidence = min(evidence.probabilities[line.key] for line in listed.won)
    listing = dict.fromkeys(source_id for line in listed.won for source_id in line.supporters)
    return Conclusion(
        Decider.VOTE,
        Outcome.ANSWERED,
        tuple(line.answer for line in listed.won),
        confidence,
        frozenset(listing).difference(ballot.source_id for ballot in listed.result.dissent),
        cite_lists(listing, evidence.selection.readings),
        _unless_likely(confidence),
        evidence.is_capped,
    )


def _unless_likely(confidence: float) -> tuple[str, ...]:
    return (UNLIKELY,) if confidence < EVEN_CHANCE else ()


def _citations(evidence: Evidence, lines: Sequence[TallyLine[UUID]]) -> tuple[Citation, ...]:
    """The citations of all supporters of these answers, with their names if there are several."""
    several = len(lines) > 1
    return tuple(
        citation
        for line in lines
        for citation in cite_readings(
            line.supporters, evidence.selection.readings, answer=line.answer if several else None
        )
    )


def _reliable(evidence: Evidence, lines: Iterable[TallyLine[UUID]]) -> tuple[TallyLine[UUID], ...]:
    """The lines with the supporters that take part, if there are any."""
    takes_part = evidence.count.electorate.takes_part
    kept = (replace(line, supporters=tuple(filter(takes_part, line.supporters))) for line in lines)
    return tuple(line for line in kept if line.supporters)


def _conclude_side_by_side(evidence: Evidence, lines: tuple[TallyLine[UUID], ...]) -> Conclusion:
    """The answers of the vote that sources which take part support, each with those; one may be left."""
    confidence = evidence.probabilities[lines[0].key] if lines else 0.0
    return Conclusion(
        Decider.READINGS,
        Outcome.CONFLICTING if len(lines) > 1 else Outcome.ANSWERED,
        tuple(line.answer for line in lines),
        confidence,
        frozenset(source_id for line in lines for source_id in line.supporters),
        _citations(evidence, lines),
        (SIDE_BY_SIDE,) if len(lines) > 1 else _unless_likely(confidence),
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
