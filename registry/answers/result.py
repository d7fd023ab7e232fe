"""Builds the stored result of a question, once, from its evidence and its resolution."""

from collections.abc import Iterator
from datetime import datetime
from heapq import nlargest
from itertools import chain, islice

from answering.models.usage import Usage
from answering.voting import Outcome, RejectionReason
from registry.answers.conclusion import Conclusion, Resolution, cite, cite_nearest, cite_others
from registry.answers.debate_schemas import AutoView, VoteConclusion
from registry.answers.evidence import Evidence
from registry.answers.no_answer import explain_no_answer
from registry.answers.notes import notes_on
from registry.answers.question import QuestionContext
from registry.answers.result_schemas import (
    AnswerResult,
    Citation,
    Decider,
    Dissent,
    RejectedSource,
    SelectedSource,
    UsageView,
)
from registry.conflict_scores.scoring import ConflictScoring
from registry.votes.schemas import CertificateView, TallyEntry

# Sources that were read come first; a list of all that were not would hide them.
MAX_REJECTED = 100
NEAREST = 3
UNANSWERED = {Outcome.UNSUPPORTED, Outcome.NO_EVIDENCE}


def build_result(
    context: QuestionContext,
    evidence: Evidence,
    resolution: Resolution,
    conflict: ConflictScoring,
    milliseconds: float,
) -> AnswerResult:
    """The whole result; `milliseconds` is the time from the question to its conclusion."""
    conclusion, decision, debate = resolution.conclusion, resolution.decision, resolution.debate
    is_unanswered = conclusion.outcome in UNANSWERED or not conclusion.answers
    more_than_vote = debate is not None or conclusion.decided_by is not Decider.VOTE
    return AnswerResult(
        outcome=conclusion.outcome,
        no_answer=explain_no_answer(context, evidence, resolution.subjects) if is_unanswered else None,
        answers=conclusion.answers,
        confidence=conclusion.confidence,
        confidence_capped=conclusion.is_capped,
        margin=evidence.vote.margin,
        strategy=context.parameters.strategy,
        decided_by=conclusion.decided_by,
        vote=_vote(resolution.vote) if more_than_vote else None,
        auto=AutoView(action=decision.action, reasons=decision.reasons) if decision else None,
        debate=debate.view if debate else None,
        selected_sources=tuple(_selected(evidence, conclusion)),
        rejected_sources=tuple(islice(_rejected(evidence), MAX_REJECTED)),
        rejected_total=len(evidence.selection.rejected),
        tally=tuple(_tally(evidence)),
        dissent=tuple(_dissent(evidence)),
        certificate=CertificateView.of(evidence.certificate, evidence.vote.tally),
        as_of=_as_of(evidence),
        citations=conclusion.citations,
        dissent_citations=tuple(_dissent_citations(evidence, conclusion)),
        nearest=() if conclusion.answers else tuple(_nearest(evidence)),
        conflict_score=conflict.score,
        conflict_score_missing=conflict.missing,
        estimation_id=evidence.reliabilities.estimation_id,
        reader=context.runtime.reader_for(context.question).name,
        newer_documents=evidence.known.newer_documents,
        turned=evidence.known.turned,
        topic=evidence.reliabilities.topic,
        stop_reason=evidence.selection.stop_reason,
        notes=(*notes_on(context, evidence, conclusion), *conclusion.notes),
        usage=_usage(evidence, resolution, conflict, milliseconds),
    )


def _as_of(evidence: Evidence) -> datetime | None:
    if evidence.listed:
        return None
    votes = (vote for vote in evidence.count.votes if vote.answer_key == evidence.vote.winner)
    return max((vote.last_published_at for vote in votes if vote.last_published_at is not None), default=None)


def _vote(vote: Conclusion) -> VoteConclusion:
    return VoteConclusion(outcome=vote.outcome, answers=vote.answers, confidence=vote.confidence)


def _selected(evidence: Evidence, conclusion: Conclusion) -> Iterator[SelectedSource]:
    run = evidence.reliabilities.run
    dissents, electorate = run.joint_dissent_of() if run else {}, evidence.count.electorate
    for ballot in evidence.count.ballots:
        source, reading = evidence.sources[ballot.source_id], evidence.selection.readings[ballot.source_id]
        yield SelectedSource(
            source_id=source.source_id,
            external_id=source.external_id,
            name=source.name,
            reliability=electorate.reliability(source.source_id) if source.periods else source.reliability,
            overall_reliability=source.overall_reliability,
            lower=None if source.periods else source.lower,
            upper=None if source.periods else source.upper,
            vote_count=None if source.rating else source.vote_count,
            registered_at=source.created_at,
            is_new=electorate.is_new(source.source_id),
            overridden=source.override is not None,
            turned_at=source.turned_at,
            weight=ballot.weight,
            copy_group=source.copy_group,
            joint_dissent=dissents.get(source.source_id),
            relevance=reading.relevance,
            answer=ballot.answer,
            reading_confidence=reading.confidence,
            stated=reading.stated,
            imported=reading.imported,
            supports=ballot.source_id in conclusion.supporters,
        )


def _rejected(evidence: Evidence) -> Iterator[RejectedSource]:
    for source_id, reason in evidence.selection.rejected.items():
        source, reading = evidence.sources[source_id], evidence.selection.readings.get(source_id)
        yield RejectedSource(
            source_id=source.source_id,
            external_id=source.external_id,
            name=source.name,
            reliability=source.reliability,
            overall_reliability=source.overall_reliability,
            reason=reason,
            reading=reading.answer if reading else None,
            abstention=reading.reason if reading else None,
        )


def _tally(evidence: Evidence) -> Iterator[TallyEntry]:
    for line in evidence.vote.tally:
        yield TallyEntry.of(line, evidence.count.electorate, evidence.probabilities[line.key])


def _dissent(evidence: Evidence) -> Iterator[Dissent]:
    for ballot in evidence.vote.dissent:
        source = evidence.sources[ballot.source_id]
        yield Dissent(
            source_id=source.source_id,
            name=source.name,
            reliability=source.reliability,
            overall_reliability=source.overall_reliability,
            answer=ballot.answer,
        )


def _dissent_citations(evidence: Evidence, conclusion: Conclusion) -> Iterator[Citation]:
    """Citations of the positions in the vote if a debate decided, because it cites what it read itself; otherwise of
    all positions but the cited ones.
    """
    by_debate = conclusion.decided_by is Decider.DEBATE
    cited = frozenset() if by_debate else frozenset(citation.source_id for citation in conclusion.citations)
    return cite_others(evidence.count, evidence.selection.readings, cited)


def _nearest(evidence: Evidence) -> Iterator[Citation]:
    """Where answers were read that are too uncertain, then the best passages of all sources that were read."""
    readings, rejected = evidence.selection.readings, evidence.selection.rejected
    unsure = [readings[source_id] for source_id, reason in rejected.items() if reason is RejectionReason.UNSURE]
    read = (cite(reading.passages, reading.answer or "", reading.location) for reading in unsure)
    best = (reading.passages[0] for reading in readings.values() if reading.passages)
    found = map(cite_nearest, nlargest(NEAREST, best, key=lambda passage: passage.relevance))
    yield from islice(chain(filter(None, read), found), NEAREST)


def _usage(evidence: Evidence, resolution: Resolution, conflict: ConflictScoring, milliseconds: float) -> UsageView:
    readings = evidence.selection.readings.values()
    usage = sum((reading.usage for reading in readings), Usage())
    if resolution.debate:
        usage += resolution.debate.result.usage
    for scoring in (conflict, resolution.earlier_conflict):
        # Tokens of the compact judge are not counted.
        if scoring and scoring.score and scoring.score.usage.model_calls:
            of_judge = scoring.score.usage
            usage += Usage(of_judge.model_calls, of_judge.input_tokens, of_judge.output_tokens)
    return UsageView(
        readings=sum(not reading.stated for reading in readings),
        readings_cached=sum(reading.cached for reading in readings),
        model_calls=usage.model_calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        milliseconds=milliseconds,
    )
