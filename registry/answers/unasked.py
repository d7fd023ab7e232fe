"""Inputs that are answered without a reading: what is no question, and questions about what no passage names."""

from collections.abc import Sequence
from functools import partial

from answering.questions.coordination import coordinated_names
from answering.questions.key_words import whole_question
from answering.questions.kind import (
    QuestionKind,
    has_question_form,
    may_be_looked_up,
    points_back,
    question_kind,
)
from answering.questions.names import question_names, written_names
from answering.questions.parts import question_parts
from answering.questions.spelling import corrected
from answering.text import tokenize
from answering.text.language import may_be_english
from answering.text.ordinary_words import is_ordinary_word
from answering.voting import Outcome
from registry.answers.citations import cite_nearest
from registry.answers.context import QuestionContext
from registry.answers.result_schemas import AnswerResult, Decider, NoAnswer, NoAnswerCode, UsageView
from registry.passages.schemas import PassageFilter
from registry.passages.store import names_apart, unknown_names
from registry.search.service import Hit, search
from registry.votes.schemas import CertificateView

NEAREST = 3
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


async def answer_without_reading(context: QuestionContext, where: PassageFilter) -> AnswerResult | None:
    """The result of an input that needs no reading; None if some passage names its subject, or there is no passage."""
    kind = question_kind(context.question)
    if kind is not QuestionKind.QUESTION:
        return empty_result(context, NO_QUESTIONS[kind])
    # In other languages a capital letter is no sign of a name.
    english = may_be_english(context.question)
    missing = await _unknown(context, where, context.question) if english else ()
    if not missing:
        return None
    asks = has_question_form(context.question) or question_names(context.question)
    if not asks or not may_be_looked_up(context.question):
        return empty_result(context, NO_QUESTIONS[QuestionKind.NOT_A_QUESTION])
    if points_back(context.question):
        return empty_result(context, NO_QUESTIONS[QuestionKind.NO_SUBJECT])
    hits = await search(
        context.runtime,
        context.corpus,
        context.question,
        limit=NEAREST,
        restriction=context.parameters,
        viewer=context.viewer,
    )
    if not hits or await _is_misspelt(context, where, missing, hits):
        return None
    text = UNKNOWN_SUBJECT.format(names=" or ".join(f"“{name}”" for name in missing))
    return empty_result(context, NoAnswer(code=NoAnswerCode.UNKNOWN_SUBJECT, text=text), hits)


async def questions_in(context: QuestionContext, where: PassageFilter) -> tuple[str, ...]:
    """The questions that an input asks; whether two names are one the passages tell."""
    pairs = list(coordinated_names(context.question))
    look_up = partial(names_apart, corpus=context.corpus, pairs=pairs, source_ids=where.source_ids, viewer=where.viewer)
    questions = question_parts(context.question, await context.runtime.database.read(look_up) if pairs else ())
    return tuple(
        whole_question(asked) if question_kind(asked) is QuestionKind.QUESTION else asked for asked in questions
    )


async def _unknown(context: QuestionContext, where: PassageFilter, question: str) -> Sequence[str]:
    look_up = partial(
        unknown_names, corpus=context.corpus, question=question, source_ids=where.source_ids, viewer=where.viewer
    )
    return await context.runtime.database.read(look_up)


async def _is_misspelt(
    context: QuestionContext, where: PassageFilter, missing: Sequence[str], hits: Sequence[Hit]
) -> bool:
    """Whether the passages found nearest have the words that are missing, spelt otherwise; names of one word with a
    capital letter are taken as they are written.
    """
    if any(len(name.words) < 2 for name in written_names(context.question) if name.text in missing):
        return False
    texts = [hit.passage.content for hit in hits]
    found = {word for text in texts for word in tokenize(text)}
    question = corrected(context.question, texts, lambda word: word in found or is_ordinary_word(word))
    return question != context.question and not await _unknown(context, where, question)


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
