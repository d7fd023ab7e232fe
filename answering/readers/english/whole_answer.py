"""What a span of a passage stands for as an answer: whole numbers, names, lists and sentences, no labels. English."""

from dataclasses import dataclass

from answering.judges.quotes import sentence_at
from answering.questions.answer_type import AnswerType, asks_for_several
from answering.readers.english.abbreviations import begin_of_expansion
from answering.readers.english.enumeration import labelled_list, whole_list
from answering.readers.english.labels import within_field
from answering.readers.english.measures import (
    before_label,
    behind_label,
    behind_question,
    end_of_name,
    whole_measure,
    whole_name,
    without_half_brackets,
    without_height,
)
from answering.readers.english.shares import largest_share
from answering.text.sentences import line_at

# Fewer words give no reason: the answer is the sentence that holds them.
SHORTEST_REASON_WORDS = 3
_NAMED = frozenset({AnswerType.NAME, AnswerType.PROPER_NAME, AnswerType.THING})


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """Characters [start, end) of a passage, and what of them is the answer: of a list the names alone."""

    start: int
    end: int
    text: str


def whole_answer(question: str, expected: AnswerType, passage: str, start: int, end: int) -> WholeAnswer:
    """What [start, end) of the passage stands for, if the question expects an answer of this type.

    >>> whole_answer("How long is it?", AnswerType.QUANTITY, "length: 4.2 km width: 3 m", 8, 9).text
    '4.2 km'
    """
    line_start, line_end = line_at(passage, start)
    start, end = before_label(passage[:line_end], *within_field(passage, start, end))
    start, end = whole_measure(passage[:line_end], start, end, question, expected)
    start, end = behind_question(passage, max(whole_name(passage, start), line_start), end)
    start, end = without_half_brackets(passage, *behind_label(passage, start, end))
    expansion = begin_of_expansion(question, passage, start, end)
    start = start if expansion is None else expansion
    if expected is AnswerType.REASON and passage[start:end].count(" ") < SHORTEST_REASON_WORDS - 1:
        sentence = sentence_at(passage, start, end)
        start, end = sentence.start, sentence.end
    start, end = largest_share(question, passage, start, end)
    if expected in _NAMED:
        end = end_of_name(question, passage, start, without_height(question, passage, start, end))
    if expected in _NAMED and (labelled := labelled_list(passage, start, end, question)):
        return WholeAnswer(*labelled)
    if expected in _NAMED and asks_for_several(question):
        return WholeAnswer(*whole_list(passage, start, end))
    return WholeAnswer(start, end, passage[start:end])
