"""Spans of a passage that could answer a question, by the answer type that it expects. English.

They are for readers too weak to find the span: a very small model chooses well among a dozen short spans, and badly
among all of them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from answering.equivalence import find_unit
from answering.questions.answer_type import FUNCTION_WORDS, AnswerType, expected_answer_type
from answering.readers.clauses import YEAR, clauses, span_text
from answering.text import word_set
from answering.text.dates import MONTHS

MAX_THING_WORDS = 4
MAX_CANDIDATES = 120
MAX_UNIT_WORDS = 3

Words: TypeAlias = Sequence[str]

_NUMBER_WORDS = word_set(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen
    half"""
)
# Left out before a first name and a surname; Queen Ragnhild has no other name.
_TITLES = word_set("mr mrs ms dr prof professor sir captain capt colonel col general admiral mayor rev reverend mate")
_NAME_JOINERS = word_set("of the de del da di la le du van von der den")


def candidate_spans(question: str, passages: Sequence[str]) -> list[str]:
    """Short spans, each contiguous words of one clause of one passage, in the order of the text."""
    spans_of = _SPANS[expected_answer_type(question)]
    asked = set(re.findall(r"\w+", question.lower()))
    spans = (
        span_text(span)
        for passage in passages
        for clause in clauses(passage)
        for span in spans_of(clause)
        if not all(word.lower() in asked for word in span)
    )
    return list(dict.fromkeys(spans))[:MAX_CANDIDATES]


def _quantities(clause: Words) -> Iterator[Words]:
    """Numbers with the unit after them: 42 metres; 12 degrees Celsius; three hours and forty minutes."""
    borders: list[tuple[int, int]] = []
    for first, last in _runs(clause, _is_number):
        end = last + _unit_words(clause[last:])
        joined = borders and borders[-1][1] == first - 1 and clause[first - 1].lower() == "and"
        borders[-1:] = [(borders[-1][0], end)] if joined else [*borders[-1:], (first, end)]
    return (clause[first:last] for first, last in borders if not YEAR.fullmatch(clause[first]))


def _unit_words(following: Words) -> int:
    """How many of the words after a number belong to it: a known unit, else one word for what it counts."""
    if not following or following[0].lower() in FUNCTION_WORDS:
        return 0
    lengths = range(min(MAX_UNIT_WORDS, len(following)), 0, -1)
    return next((count for count in lengths if find_unit(" ".join(following[:count])) is not None), 1)


def _counts(clause: Words) -> Iterator[Words]:
    return (clause[first:last] for first, last in _runs(clause, _is_number) if not YEAR.fullmatch(clause[first]))


def _years(clause: Words) -> Iterator[Words]:
    return ([word] for word in clause if YEAR.fullmatch(word))


def _dates(clause: Words) -> Iterator[Words]:
    for first, last in _runs(clause, _belongs_to_date):
        span = _without(clause[first:last], frozenset({"of"}))
        if any(word.rstrip(",").lower() in MONTHS or YEAR.fullmatch(word) for word in span):
            yield span


def _belongs_to_date(word: str) -> bool:
    bare = word.rstrip(",").lower()
    return bare in MONTHS or bare == "of" or any(map(str.isdigit, word))


def _names(clause: Words) -> Iterator[Words]:
    """Runs of capitalised words, with the joining words between them: Guild of Ropemakers."""
    for first, last in _runs(clause, lambda word: word[0].isupper() or word in _NAME_JOINERS):
        span = _without(_from_content(clause[first:last]), _NAME_JOINERS)
        if span:
            yield span[1:] if len(span) > 2 and span[0].lower().rstrip(".") in _TITLES else span


def _things(clause: Words) -> Iterator[Words]:
    """Up to four content words in a row, names of any length, and numbers with a unit."""
    yield from (span for span in _quantities(clause) if find_unit(" ".join(span[1:])) is not None)
    for span in _names(clause):
        if len(span) > 1:
            yield span
    for first, last in _runs(clause, lambda word: word.lower() not in FUNCTION_WORDS and not _is_number(word)):
        for start in range(first, last):
            for end in range(start + 1, min(last, start + MAX_THING_WORDS) + 1):
                yield clause[start:end]


def _without(span: Words, edges: frozenset[str]) -> Words:
    """The span without these words at its ends; case matters, as in The Hague."""
    start, end = 0, len(span)
    while start < end and span[start] in edges:
        start += 1
    while start < end and span[end - 1] in edges:
        end -= 1
    return span[start:end]


def _from_content(span: Words) -> Words:
    """The span from its first content word on: the first word of a sentence is always capitalised."""
    start = next((index for index, word in enumerate(span) if word.lower() not in FUNCTION_WORDS), len(span))
    return span[start:]


def _is_number(word: str) -> bool:
    return any(map(str.isdigit, word)) or word.lower() in _NUMBER_WORDS


def _runs(clause: Words, belongs: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The [start, end) of each longest run of words that belong."""
    first = None
    for index, word in enumerate([*clause, ""]):
        inside = index < len(clause) and belongs(word)
        if inside and first is None:
            first = index
        elif not inside and first is not None:
            yield first, index
            first = None


_SPANS: dict[AnswerType, Callable[[Words], Iterator[Words]]] = {
    AnswerType.QUANTITY: _quantities,
    AnswerType.COUNT: _counts,
    AnswerType.YEAR: _years,
    AnswerType.DATE: _dates,
    AnswerType.NAME: _names,
    AnswerType.PROPER_NAME: _names,
    AnswerType.YES_NO: _things,
    AnswerType.REASON: _things,
    AnswerType.MANNER: _things,
    AnswerType.THING: _things,
}
