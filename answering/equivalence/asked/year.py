"""The year of a date, where the question asks for the year: 12 December 1963 and 1963 are one."""

from functools import lru_cache

import regex

from answering.equivalence.values.parsing import parse_value
from answering.equivalence.values.value import ValueKind

_ASKED = regex.compile(r"\b(?:what|which)\s(?:\p{L}+\s)?year\b", regex.IGNORECASE)
_DATED = regex.compile(r"(?P<year>\d{4})-\d\d(?:-\d\d)?", regex.ASCII)


def as_year(answer: str, question: str) -> str:
    """The year of a date or month, if the question asks for a year.

    >>> as_year("12 December 1963", "In which year did Kenya become independent?")
    '1963'
    >>> as_year("12 December 1963", "When did Kenya become independent?")
    '12 December 1963'
    """
    value = parse_value(answer) if _asks_for_a_year(question) else None
    match = _DATED.fullmatch(value.text) if value is not None and value.kind is ValueKind.DATE else None
    return match["year"] if match else answer


@lru_cache(maxsize=1_000)
def _asks_for_a_year(question: str) -> bool:
    return bool(_ASKED.search(question))
