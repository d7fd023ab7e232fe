"""Clauses of a passage: the words between two marks of punctuation. English."""

import re
from collections.abc import Iterator, Sequence

from answering.text.dates import MONTHS

YEAR = re.compile(r"1\d{3}|20\d{2}")
_DAY = re.compile(r"\d{1,2}(st|nd|rd|th)?,")
_ABBREVIATION = re.compile(r"([A-Z]|St|Dr|Mr|Ms|Mrs|Prof|Capt|Rev|Col|No)\.")
# Marks of emphasis set titles off, as quotation marks do.
_OPENING, _CLOSING = '("“[*_', '.,;:)]"”!?*_'
_MARKS = ".,;:()[]\"“”!?'*_`"


def clauses(text: str) -> Iterator[list[str]]:
    """The words of each clause without the marks around them; the comma of `June 21, 1402` separates nothing."""
    tokens = text.split()
    clause: list[str] = []
    for token, following in zip(tokens, [*tokens[1:], ""], strict=False):
        if token[0] in _OPENING:
            yield clause
            clause = []
        joined = _ABBREVIATION.fullmatch(token) or _is_day_before_year(token, following)
        word = token if joined else token.strip(_MARKS)
        if word:
            clause.append(word)
        if token[-1] in _CLOSING and not joined:
            yield clause
            clause = []
    yield clause


def span_text(words: Sequence[str]) -> str:
    """The words as they stand in the text."""
    return " ".join(words).rstrip(",")


def _is_day_before_year(token: str, following: str) -> bool:
    is_day = _DAY.fullmatch(token) or token.rstrip(",").lower() in MONTHS
    return token.endswith(",") and bool(is_day) and YEAR.match(following) is not None
