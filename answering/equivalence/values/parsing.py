"""From an answer to the value that the whole of it means, if it means one."""

import re

from answering.equivalence.values.bounds import split_bound
from answering.equivalence.values.dates import date, plain_year
from answering.equivalence.values.number_words import ORDINAL_VOCABULARY, VOCABULARY
from answering.equivalence.values.numbers import number, ordinal
from answering.equivalence.values.periods import period
from answering.equivalence.values.quantities import quantity
from answering.equivalence.values.ranges import value_range
from answering.equivalence.values.times import time_of_day
from answering.equivalence.values.value import Value, ValueKind, number_text
from answering.text import compose

MAX_VALUE_CHARACTERS = 120
"""A longer answer is prose: no value takes so many characters to write."""

# "About 42 m" claims 42 m as far as a vote can tell; "over" and "at least" claim something else: they are bounds.
_HEDGES = re.compile(
    r"(?:(?:about|maybe|probably|perhaps|approximately|approx|around|roughly|circa|ca|c|est|estimated(?: at)?|exactly"
    r"|only|precisely|an? (?:estimated|total of)|a little|sometime|some|in|on|at|during|the|year|anno domini|ad|a\.d)"
    r"\b\.?\s*+|[~≈=]\s*+)++(?=\S)",
    re.IGNORECASE,
)
_HEDGES_BEHIND = re.compile(
    r"(?<=\S)[\s,(]*+\b(?:or so|or thereabouts|approximately|approx|est|in total|altogether|exactly|only)\.?\)?$",
    re.IGNORECASE,
)
_DATED = r"(?:(?<=\d)|(?<=century)|(?<=millennium)|(?<=0s))"
_ERA = re.compile(_DATED + r" (?:ad|a\.d|ce|c\.e)\.?$", re.IGNORECASE)
_BEFORE_CHRIST = re.compile(_DATED + r" ?b\.?\s?c\.?(?:\s?e\.?)?$", re.IGNORECASE)
_SHORT_SCALES = (
    (re.compile(r"(?<=\d)M\b|(?<=\d) ?mn\b"), " million"),
    (re.compile(r"(?<=\d) ?bn\b"), " billion"),
    (re.compile(r"(?<=\d)k\b"), " thousand"),
)
# Readers cut spans in the middle of brackets, so those need no partner; a lone quote may mean feet or inches.
_LEADING = " *_`,;:!?()[]{}"
_TRAILING = " *_`.,;:!?()[]{}"
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "«": "»"}


_WORDS = re.compile(r"[^\W\d_]+")
_SIGNS = VOCABULARY | ORDINAL_VOCABULARY | {"half", "quarter", "quarters", "noon", "midday", "midnight", "century"}


def parse_value(answer: str) -> Value | None:
    """The value that an answer means as a whole, or None: 1,000, 3 May 1874, 42 m, about $3.5 million, 1914-18."""
    if len(answer) > MAX_VALUE_CHARACTERS:
        return None
    composed = _cleaned(answer)
    return (_parse(composed) or _hedged(composed)) if _may_be_a_value(composed) else None


def _may_be_a_value(text: str) -> bool:
    return any(map(str.isdigit, text)) or not _SIGNS.isdisjoint(_WORDS.findall(text.casefold()))


def _hedged(text: str) -> Value | None:
    bare = _HEDGES_BEHIND.sub("", text, count=1)
    match = _HEDGES.match(bare)
    core = bare[match.end() :] if match else bare
    return _parse(core) if core != text else None


def _parse(text: str) -> Value | None:
    return _simple(text) or _bounded(text) if text else None


def _bounded(text: str) -> Value | None:
    parts = split_bound(text)
    inner = (_simple(parts[1]) or _hedged(parts[1])) if parts else None
    if parts is None or inner is None or inner.kind in {ValueKind.ORDINAL, ValueKind.RANGE}:
        return None
    return Value(ValueKind.BOUND, f"{parts[0]} {inner.text}")


def _simple(text: str) -> Value | None:
    lower = text.casefold()
    day = date(lower) or period(lower)
    if day:
        return Value(ValueKind.DATE, day)
    magnitude = number(plain_year(lower))
    if magnitude is not None:
        return Value(ValueKind.NUMBER, number_text(magnitude), magnitude)
    rank = ordinal(lower)
    if rank is not None:
        return Value(ValueKind.ORDINAL, str(rank))
    return time_of_day(lower) or quantity(text) or value_range(text)


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
