"""The answer type that a question expects, and its content words. English."""

import re
from enum import StrEnum

from answering.equivalence import find_unit
from answering.text import word_set

FUNCTION_WORDS = word_set(
    """a about after all also an and any are as at be because been before but by can could did do does during each for
    from had has have he her here his how if in into is it its may me more most must no not now of on once one's only
    or other our out over she since so some such than that the their them then there these they this those through to
    under until up was we were what when where which while who whom whose why will with would you your"""
)


class AnswerType(StrEnum):
    """The kind of answer that a question expects."""

    QUANTITY = "quantity"
    COUNT = "count"
    YEAR = "year"
    DATE = "date"
    NAME = "name"
    THING = "thing"


_PATTERNS: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        AnswerType.QUANTITY,
        re.compile(
            r"\bhow (tall|long|high|heavy|far|old|deep|large|big|fast|wide|thick|much|hot|cold)\b"
            r"|\bwhat (is|was|are|were) the ((\w+ )?(mean|average|maximum|minimum|total|top|highest|lowest) )?(\w+ )?"
            r"(height|length|weight|depth|width|distance|speed|area|size|age|price|cost|fee|fare|capacity|volume"
            r"|temperature|rainfall|altitude|elevation|gauge|duration|output|power|salary|budget)\b"
            r"|\b(what|which) (height|length|weight|depth|width|distance|speed|area|price|temperature)\b"
        ),
    ),
    (
        AnswerType.COUNT,
        re.compile(r"\bhow (many|often)\b|\bwhat (is|was|are|were) the (number|population|share|percentage)\b"),
    ),
    (AnswerType.YEAR, re.compile(r"\b(what|which) (year|century)\b")),
    (AnswerType.DATE, re.compile(r"\bwhen\b|\b(what|which) (date|day|month)\b")),
    (AnswerType.NAME, re.compile(r"\bwho(m|se)?\b|\bwhere\b")),
    (AnswerType.THING, re.compile(r"\b(what|which)\b")),
)


def expected_answer_type(question: str) -> AnswerType:
    """The type of answer that a question expects: the one whose words come first in it.

    How many tonnes is a quantity, how many boats a count; what did she carry when she sank asks what, not when.
    """
    folded = question.lower()
    matches = ((answer_type, pattern.search(folded)) for answer_type, pattern in _PATTERNS)
    starts = {answer_type: match.start() for answer_type, match in matches if match}
    answer_type = min(starts, key=lambda matched: starts[matched], default=AnswerType.THING)
    return AnswerType.QUANTITY if answer_type is AnswerType.COUNT and _counts_units(folded) else answer_type


def content_words(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(_stem(word) for word in re.findall(r"\w+", text.lower()) if word not in FUNCTION_WORDS)


def _stem(word: str) -> str:
    """At most six letters of a word without common endings: closed, closes and closing are clos."""
    word = word.removesuffix("s")
    word = word[:-1] if word.endswith("ed") else word
    word = word[:-3] if word.endswith("ing") and len(word) > 5 else word
    word = word[:-1] if word.endswith("e") and len(word) > 3 else word
    return (word[:-1] + "i" if word.endswith("y") else word)[:6]


def _counts_units(question: str) -> bool:
    counted = re.search(r"\bhow many (\w+)(?: (\w+))?", question)
    if counted is None:
        return False
    first, second = counted.groups()
    return any(find_unit(name) is not None for name in (first, f"{first} {second}") if len(name) > 2)
