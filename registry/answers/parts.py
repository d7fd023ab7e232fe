"""A question that asks several: each part is answered and stored as a question of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from answering.voting import Outcome
from registry.answers.no_answer import empty_result
from registry.answers.question import QuestionContext
from registry.answers.result_schemas import (
    AnsweredPart,
    AnswerResult,
    Citation,
    Decider,
    NoAnswer,
    NoAnswerCode,
    UsageView,
)
from registry.evaluations.schemas import Basis

NOT_ANSWERED = "No answer to “{question}”: {reason}"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question with its result, which is stored under an identifier of its own."""

    answer_id: UUID
    question: str
    result: AnswerResult
    made_of: frozenset[UUID]
    """The documents it is made of, as in `Answer`."""


def join(context: QuestionContext, parts: Sequence[Part]) -> AnswerResult:
    """The result of the whole question: of each part the first answer or the list, as sure as the least sure."""
    answered = [part.result for part in parts if part.result.answers]
    least = min(answered, key=_how_sure, default=None)
    nothing = NoAnswer(code=NoAnswerCode.NO_PART_ANSWERED, text="No part of this question has an answer.")
    return empty_result(context, nothing).model_copy(
        update={
            "outcome": _outcome(parts),
            "no_answer": None if answered else nothing,
            "answers": tuple(map(_said, answered)),
            "confidence": min((result.confidence for result in answered), default=0.0),
            "calibrated_confidence": least.calibrated_confidence if least else None,
            "margin": min((result.margin for result in answered), default=0.0),
            "decided_by": Decider.PARTS,
            "parts": tuple(map(_view, parts)),
            "selected_sources": tuple(source for result in answered for source in result.selected_sources),
            "citations": tuple(citation for result in answered for citation in _citations(result)),
            "estimation_id": next((result.estimation_id for result in answered), None),
            "notes": tuple(_notes(parts)),
            "usage": _usage(context, parts),
        }
    )


def _said(result: AnswerResult) -> str:
    return ", ".join(result.answers) if result.outcome is Outcome.ANSWERED else result.answers[0]


def _citations(result: AnswerResult) -> Iterator[Citation]:
    for citation in result.citations:
        yield citation.model_copy(update={"answer": citation.answer or _said(result)})


def _how_sure(result: AnswerResult) -> tuple[bool, float]:
    """The confidence of a part; that of the whole question if too little is known about the sources of the part."""
    calibrated = result.calibrated_confidence
    return calibrated is None or calibrated.basis is not Basis.TOO_LITTLE, result.confidence


def _outcome(parts: Sequence[Part]) -> Outcome:
    """The outcome of the parts if they are alike; otherwise `answered` if every part with an answer is."""
    outcomes = {part.result.outcome for part in parts}
    if len(outcomes) == 1:
        return outcomes.pop()
    if Outcome.CONFLICTING in outcomes:
        return Outcome.CONFLICTING
    return Outcome.ANSWERED if Outcome.ANSWERED in outcomes else Outcome.UNSUPPORTED


def _view(part: Part) -> AnsweredPart:
    result = part.result
    return AnsweredPart(
        question=part.question,
        answer_id=part.answer_id,
        outcome=result.outcome,
        answers=result.answers,
        confidence=result.confidence,
        calibrated_confidence=result.calibrated_confidence,
        no_answer=result.no_answer,
    )


def _notes(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if part.result.no_answer is not None:
            yield NOT_ANSWERED.format(question=part.question, reason=part.result.no_answer.text)
    yield from dict.fromkeys(note for part in parts for note in part.result.notes)


def _usage(context: QuestionContext, parts: Sequence[Part]) -> UsageView:
    usages = [part.result.usage for part in parts]
    return UsageView(
        readings=sum(usage.readings for usage in usages),
        readings_cached=sum(usage.readings_cached for usage in usages),
        model_calls=sum(usage.model_calls for usage in usages),
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        milliseconds=context.seconds * 1000,
    )
