"""The parser of values: which value the whole of an answer spells, if it spells one."""

import re

from answering.equivalence.values.dates import parse_date, plain_year
from answering.equivalence.values.intervals import parse_range, split_bound
from answering.equivalence.values.number_words import CARDINAL_WORDS, ORDINAL_WORDS
from answering.equivalence.values.numerals import parse_number, parse_ordinal
from answering.equivalence.values.periods import parse_period
from answering.equivalence.values.quantities import parse_quantity
from answering.equivalence.values.times_of_day import parse_time_of_day
from answering.equivalence.values.value import Value, ValueKind, number_text
from answering.text import compose

MAX_VALUE_CHARACTERS = 120
"""A longer answer is taken for prose."""

# "About 42 m" votes for 42 m; "over" and "at least" do not, they are bounds.
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
_VALUE_WORDS = CARDINAL_WORDS | ORDINAL_WORDS | {"half", "quarter", "quarters", "noon", "midday", "midnight", "century"}


def parse_value(answer: str) -> Value | None:
    """The value that the whole of an answer spells, or None.

    >>> parse_value("one thousand").key, parse_value("about 1.5 km").key, parse_value("May 3, 1874").key
    ('number:1000', 'quantity:1500 m', 'date:1874-05-03')
    >>> parse_value("Ilse Varn") is None
    True
    """
    if len(answer) > MAX_VALUE_CHARACTERS:
        return None
    composed = _cleaned(answer)
    return (_parse(composed) or _hedged(composed)) if _may_be_a_value(composed) else None


def _may_be_a_value(text: str) -> bool:
    return any(map(str.isdigit, text)) or not _VALUE_WORDS.isdisjoint(_WORDS.findall(text.casefold()))


def _hedged(text: str) -> Value | None:
    bare = _HEDGES_BEHIND.sub("", text, count=1)
    match = _HEDGES.match(bare)
    core = bare[match.end() :] if match else bare
    return _parse(core) if core != text else None


def _parse(text: str) -> Value | None:
    return _simple(text) or _bound(text) if text else None


def _bound(text: str) -> Value | None:
    parts = split_bound(text)
    inner = (_simple(parts[1]) or _hedged(parts[1])) if parts else None
    if parts is None or inner is None or inner.kind in {ValueKind.ORDINAL, ValueKind.RANGE}:
        return None
    return Value(ValueKind.BOUND, f"{parts[0]} {inner.text}")


def _simple(text: str) -> Value | None:
    lower = text.casefold()
    day = parse_date(lower) or parse_period(lower)
    if day:
        return Value(ValueKind.DATE, day)
    magnitude = parse_number(plain_year(lower))
    if magnitude is not None:
        return Value(ValueKind.NUMBER, number_text(magnitude), magnitude)
    rank = parse_ordinal(lower)
    if rank is not None:
        return Value(ValueKind.ORDINAL, str(rank))
    return parse_time_of_day(lower) or parse_quantity(text) or parse_range(text)


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
