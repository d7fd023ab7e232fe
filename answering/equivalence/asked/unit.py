"""The unit that a question names: 320 answers "How many tonnes?" as 320 t does. English."""

from functools import lru_cache

import regex

from answering.equivalence.values import ValueKind, find_unit, parse_value
from answering.equivalence.values.quantities import PERSONS

# How many square kilometres are protected? What is its height in metres?
_COUNTED = regex.compile(r"\bhow (?:many|much) (?P<words>.+)", regex.IGNORECASE)
_IN_UNITS = regex.compile(r"\bin (?P<words>[^\s?]+(?: [^\s?]+){0,2})\s*\??$", regex.IGNORECASE)
_MOST_WORDS = 3
# Symbols of units that a question has as words.
_NO_UNITS = frozenset({"a", "as", "at", "in"})


def with_asked_unit(answer: str, question: str) -> str:
    """The answer, and behind a bare number the unit that the question asks for.

    >>> with_asked_unit("320", "How many tonnes can it lift?"), with_asked_unit("320 t", "How many tonnes can it lift?")
    ('320 tonnes', '320 t')
    >>> with_asked_unit("1931", "When was the 320 tonne crane built?")
    '1931'
    """
    unit = asked_unit(question)
    value = parse_value(answer) if unit else None
    return f"{answer} {unit}" if value is not None and value.kind is ValueKind.NUMBER else answer


@lru_cache(maxsize=1_000)
def asked_unit(question: str) -> str | None:
    """The unit of the number that a question asks for, in its words; None if it names none.

    >>> asked_unit("How many square kilometres are protected?"), asked_unit("How tall is the tower, in feet?")
    ('square kilometres', 'feet')
    >>> asked_unit("How many members are there?") is None
    True
    """
    for pattern in (_COUNTED, _IN_UNITS):
        match = pattern.search(" ".join(question.split()))
        words = match["words"].rstrip(" ?").split()[:_MOST_WORDS] if match else []
        for end in range(len(words), 0, -1):
            unit = " ".join(words[:end])
            if unit.casefold() in PERSONS or (unit not in _NO_UNITS and find_unit(unit) is not None):
                return unit
    return None
