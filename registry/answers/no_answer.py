"""Reasons why a question has no answer: its readings, the limits of the reader, the subjects that sources speak of."""

from collections.abc import Sequence

from answering.enums import AbstentionReason
from answering.questions.kind import QuestionKind, has_question_form, points_back
from answering.questions.names import question_names
from answering.voting import Outcome, ReadingStatus, RejectionReason
from answering.voting.selection import StopReason
from registry.answers.conclusion import cite_nearest
from registry.answers.evidence import Evidence
from registry.answers.question import QuestionContext, Unread
from registry.answers.result_schemas import AnswerResult, Decider, NoAnswer, NoAnswerCode, UsageView
from registry.search.service import Hit
from registry.votes.schemas import CertificateView

NOT_ASKED = "not_asked"
"""The stop reason of a selection of sources that never began."""
NO_QUESTIONS = {
    QuestionKind.NOT_A_QUESTION: NoAnswer(
        code=NoAnswerCode.NOT_A_QUESTION,
        text="This is not a question that documents can answer. Ask who, what, when, where, how many...",
    ),
    QuestionKind.NO_WORDS: NoAnswer(
        code=NoAnswerCode.NOT_A_QUESTION, text="There is nothing in this input to look up."
    ),
    QuestionKind.NO_SUBJECT: NoAnswer(
        code=NoAnswerCode.NO_SUBJECT,
        text="The question does not say what it is about, and there is no question before it. Ask the full question.",
    ),
}
UNKNOWN_SUBJECT = "No document mentions {names}. The nearest passages are about something else."
SEVERAL_SUBJECTS = (
    "The question does not say what it is about, and sources answer it of each of {subjects}. Ask about one of them."
)
_TEXTS = {
    NoAnswerCode.NOT_A_QUESTION: "{read} of {sources} sources were read without an answer, and this is not phrased as "
    "a question. Ask who, what, when, where, how many...",
    NoAnswerCode.NO_SUBJECT: "{read} of {sources} sources were read without an answer, and the question refers to "
    "something said before it. Ask the full question.",
    NoAnswerCode.UNKNOWN_SUBJECT: "{read} of {sources} sources were read; their passages are about something else.",
    NoAnswerCode.NOTHING_FOUND: "No source has a passage on this question.",
    NoAnswerCode.NOBODY_ANSWERED: "{read} of {sources} sources were read, and none of them answers this question.",
    NoAnswerCode.LANGUAGE: "None of {read} sources answers. The question is in {language}, and the reader knows only "
    "English. To read others, configure a reader of them (CREDENCE_READER) or a language model (CREDENCE_CHAT_MODEL).",
    NoAnswerCode.NOT_JUDGED: "The question asks what can or should be, or for yes or no about something without a name "
    "or number. The compact reader is right half of the time on such questions and does not answer them. Read the "
    "nearest passages, or configure a language model (CREDENCE_CHAT_MODEL).",
    NoAnswerCode.ONLY_REJECTED: "{rejected} sources gave answers, but none of these occurs in the passages.",
    NoAnswerCode.READINGS_FAILED: "Every reading failed; the log of the service says why.",
    NoAnswerCode.OUT_OF_BUDGET: "None of the {read} most promising sources answers this question. More are read with a "
    "higher max_readings.",
    NoAnswerCode.UNSURE: "{unsure} of the {read} sources that were read may answer this, but the reader is too unsure "
    "of it: in most such cases it is wrong. Look at the nearest passages.",
    NoAnswerCode.NOBODY_RELIABLE: "Sources answered, but none of them is reliable enough to answer from. "
    "Their answers are in the tally.",
    NoAnswerCode.NO_ANSWER_HOLDS: "Sources answered, but no answer is safe enough. Their answers are in the tally.",
}
_OTHER_KINDS = {
    AbstentionReason.UNDECIDED: "{read} of {sources} sources were read, and none of them says yes or no.",
    AbstentionReason.NO_EXPLANATION: "{read} of {sources} sources were read, and none of them says why or how.",
    AbstentionReason.OTHER_KIND: "{read} of {sources} sources were read, and what they say is not of the kind that the "
    "question asks for.",
}
"""Of `NoAnswerCode.QUESTION_KIND`; the first of the readings' reasons."""


def explain_unread(unread: Unread) -> NoAnswer:
    if unread.kind is not QuestionKind.QUESTION:
        return NO_QUESTIONS[unread.kind]
    text = UNKNOWN_SUBJECT.format(names=" or ".join(f"“{name}”" for name in unread.unknown))
    return NoAnswer(code=NoAnswerCode.UNKNOWN_SUBJECT, text=text)


def explain_no_answer(context: QuestionContext, evidence: Evidence, subjects: Sequence[str]) -> NoAnswer:
    """`subjects` are those of `Resolution`."""
    if subjects:
        return NoAnswer(code=NoAnswerCode.NO_SUBJECT, text=SEVERAL_SUBJECTS.format(subjects=", ".join(subjects)))
    code = _code(context, evidence)
    rejected = sum(reading.status is ReadingStatus.MISALIGNED for reading in evidence.selection.readings.values())
    counts = {"read": len(evidence.selection.readings), "sources": len(evidence.sources), "rejected": rejected}
    counts["unsure"] = _unsure(evidence)
    text = _kind_text(evidence) if code is NoAnswerCode.QUESTION_KIND else _TEXTS[code]
    return NoAnswer(code=code, text=text.format(**counts, language=context.unread_language))


def _unsure(evidence: Evidence) -> int:
    return list(evidence.selection.rejected.values()).count(RejectionReason.UNSURE)


def _reasons(evidence: Evidence) -> set[AbstentionReason | None]:
    return {reading.reason for reading in evidence.selection.readings.values() if reading.passages}


def _kind_text(evidence: Evidence) -> str:
    reasons = _reasons(evidence)
    return next(text for reason, text in _OTHER_KINDS.items() if reason in reasons)


def _code(context: QuestionContext, evidence: Evidence) -> NoAnswerCode:
    statuses = {reading.status for reading in evidence.selection.readings.values()} - {ReadingStatus.NO_PASSAGES}
    # The first that holds.
    explanations = (
        (not statuses, NoAnswerCode.NOTHING_FOUND),
        (statuses == {ReadingStatus.FAILED}, NoAnswerCode.READINGS_FAILED),
        (bool(evidence.count.ballots) and evidence.nobody_reliable, NoAnswerCode.NOBODY_RELIABLE),
        (bool(evidence.vote.tally), NoAnswerCode.NO_ANSWER_HOLDS),
        (_unsure(evidence) > 0, NoAnswerCode.UNSURE),
        (ReadingStatus.MISALIGNED in statuses, NoAnswerCode.ONLY_REJECTED),
    )
    return next((code for holds, code in explanations if holds), None) or _of_abstentions(context, evidence)


def _of_abstentions(context: QuestionContext, evidence: Evidence) -> NoAnswerCode:
    reasons = _reasons(evidence)
    asks = has_question_form(context.question)
    # The first that holds.
    explanations = (
        (bool(context.unread_language), NoAnswerCode.LANGUAGE),
        (not asks and not question_names(context.question), NoAnswerCode.NOT_A_QUESTION),
        (points_back(context.question), NoAnswerCode.NO_SUBJECT),
        (AbstentionReason.NOT_JUDGED in reasons, NoAnswerCode.NOT_JUDGED),
        (reasons == {AbstentionReason.OTHER_SUBJECT}, NoAnswerCode.UNKNOWN_SUBJECT),
        (not asks, NoAnswerCode.NOT_A_QUESTION),
        (not _OTHER_KINDS.keys().isdisjoint(reasons), NoAnswerCode.QUESTION_KIND),
        (evidence.selection.stop_reason is StopReason.OUT_OF_BUDGET, NoAnswerCode.OUT_OF_BUDGET),
    )
    return next((code for holds, code in explanations if holds), NoAnswerCode.NOBODY_ANSWERED)


def empty_result(context: QuestionContext, no_answer: NoAnswer, nearest: Sequence[Hit] = ()) -> AnswerResult:
    """A result without sources, with the passages that were found nearest."""
    milliseconds = context.seconds * 1000
    return AnswerResult(
        outcome=Outcome.UNSUPPORTED if nearest else Outcome.NO_EVIDENCE,
        no_answer=no_answer,
        answers=(),
        confidence=0.0,
        margin=0.0,
        strategy=context.parameters.strategy,
        decided_by=Decider.NOBODY,
        selected_sources=(),
        rejected_sources=(),
        rejected_total=0,
        tally=(),
        dissent=(),
        certificate=CertificateView(size=None, source_ids=(), challenger=None),
        citations=(),
        nearest=tuple(cite_nearest(hit.passage) for hit in nearest),
        estimation_id=None,
        stop_reason=NOT_ASKED,
        usage=UsageView(
            readings=0, readings_cached=0, model_calls=0, input_tokens=0, output_tokens=0, milliseconds=milliseconds
        ),
    )
