"""From an answer to the value that the whole of it means, if it means one."""

import re

from answering.text import compose
from answering.values.dates import date
from answering.values.numbers import number, ordinal
from answering.values.quantities import quantity, value_range
from answering.values.value import Value, ValueKind, number_text

MAX_VALUE_CHARACTERS = 120
"""A longer answer is prose: no value takes so many characters to write."""

# "About 42 m" claims 42 m as far as a vote can tell; "over" and "at least" claim something else and stay.
_HEDGES = re.compile(
    r"(?:(?:about|approximately|approx|around|roughly|circa|ca|c|some|in|on|at|during|the|year|anno domini|ad)\b\.?\s*+"
    r"|[~≈=]\s*+)++(?=\S)",
    re.IGNORECASE,
)
_ERA = re.compile(r"(?<=\d) (?:ad|a\.d|ce|c\.e)\.?$", re.IGNORECASE)
_BEFORE_CHRIST = re.compile(r"(?<=\d) ?b\.?\s?c\.?(?:\s?e\.?)?$", re.IGNORECASE)
_SHORT_SCALES = ((re.compile(r"(?<=\d)M\b|(?<=\d) ?mn\b"), " million"), (re.compile(r"(?<=\d) ?bn\b"), " billion"))
# Readers cut spans in the middle of brackets, so those need no partner; a lone quote may mean feet or inches.
_LEADING = " *_`,;:!?()[]{}"
_TRAILING = " *_`.,;:!?()[]{}"
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "«": "»"}


def parse_value(answer: str) -> Value | None:
    """The value that an answer means as a whole, or None: 1,000, 3 May 1874, 42 m, about $3.5 million, 1914-18."""
    if len(answer) > MAX_VALUE_CHARACTERS:
        return None
    composed = _cleaned(answer)
    return _parse(composed) or _parse(_HEDGES.sub("", composed, count=1) if _HEDGES.match(composed) else "")


def _parse(text: str) -> Value | None:
    if not text:
        return None
    lower = text.casefold()
    if day := date(lower):
        return Value(ValueKind.DATE, day)
    magnitude = number(lower)
    if magnitude is not None:
        return Value(ValueKind.NUMBER, number_text(magnitude), magnitude)
    rank = ordinal(lower)
    if rank is not None:
        return Value(ValueKind.ORDINAL, str(rank))
    return quantity(text) or value_range(text)


def _cleaned(answer: str) -> str:
    text = " ".join(compose(answer).split())
    previous = None
    while text != previous:
        previous = text
        text = text.lstrip(_LEADING).rstrip(_TRAILING)
        if len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
            text = text[1:-1]
    for short, scale in _SHORT_SCALES:
        text = short.sub(scale, text)
    return _ERA.sub("", _BEFORE_CHRIST.sub(" bc", text))
