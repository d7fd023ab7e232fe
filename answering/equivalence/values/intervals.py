"""Ranges and bounds: 5 to 10 km, 1914-18, 5-7 June 1990, over 3,500, at least 42 m, before 1850."""

import re
from collections.abc import Iterator
from fractions import Fraction

from answering.equivalence.values.dates import parse_date
from answering.equivalence.values.numerals import parse_number
from answering.equivalence.values.quantities import Measurement, parse_measurement
from answering.equivalence.values.units import Unit
from answering.equivalence.values.value import Value, ValueKind, number_text

_RANGE = re.compile(
    r"(?:between |from )?(?P<low>[^-]+?)(?: ?- ?| to | and | until | till | through | thru )(?P<high>[^-]+)"
)
_TWO_YEARS = re.compile(r"(?P<first>[12]\d{3})/(?:[12]\d)?(?P<second>\d{2})", re.ASCII)
_SCALE = re.compile(
    r"(?P<number>\d+(?:\.\d+)?) (?P<scale>hundred|thousand|lakh|million|crore|billion|trillion)\b", re.ASCII
)
_NUMERAL = re.compile(r"\D?(?P<number>\d{1,6}(?:\.\d+)?)", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_MAX_WORDS = 5
_NO_UNIT = Unit("", Fraction(1))

# canonical bound: its spellings in front of a value, its spellings behind
_BOUNDS = {
    "over": ("over, more than, greater than, above, exceeding, in excess of, upwards of, upward of", ""),
    "at least": (
        "at least, no fewer than, no less than, not less than, a minimum of, minimum of, minimum",
        "or more, or over, and over, or above, and above, and up, or older, and older, minimum, at least",
    ),
    "under": ("under, less than, fewer than, below", ""),
    "at most": (
        "at most, up to, no more than, not more than, a maximum of, maximum of, maximum",
        "or less, or fewer, or under, and under, or below, or younger, maximum, at most",
    ),
    "nearly": ("nearly, almost, just under, close to", ""),
    "just over": ("just over", ""),
    "before": ("before, prior to", ""),
    "after": ("after", ""),
    "since": ("since", ""),
    "until": ("until, till", ""),
    "not": ("not", ""),
}
_IN_FRONT, _BEHIND = (
    {spelling: bound for bound, sides in _BOUNDS.items() for spelling in sides[side].split(", ") if spelling}
    for side in (0, 1)
)
_BOUND_IN_FRONT = re.compile(
    rf"(?P<bound>{'|'.join(sorted(_IN_FRONT, key=len, reverse=True))}) (?P<rest>.+)", re.IGNORECASE
)
_BOUND_BEHIND = re.compile(
    rf"(?P<rest>.+?)(?: (?P<bound>{'|'.join(sorted(_BEHIND, key=len, reverse=True))})|\+)", re.IGNORECASE
)


def parse_range(text: str) -> Value | None:
    """The range that the whole of a text spells, from a smaller to a larger number, quantity or date."""
    if (years := _TWO_YEARS.fullmatch(text)) and (int(years["first"]) + 1) % 100 == int(years["second"]):
        text = f"{years['first']}-{years['second']}"
    match = _RANGE.fullmatch(text)
    if match is None or (" and " in text and not text.casefold().startswith("between ")):
        return None
    return _measured(match["low"], match["high"]) or _dated(match["low"].casefold(), match["high"].casefold())


def _measured(low_text: str, high_text: str) -> Value | None:
    high_text = _completed(low_text, high_text)
    low_text = _scaled(low_text, high_text)
    low, high = (parse_measurement(text) or _plain_number(text) for text in (low_text, high_text))
    if low is None or high is None:
        return None
    unit = high[1]
    low_unit = unit if low[1] is _NO_UNIT else low[1]
    start, end = low_unit.to_base(low[0]), unit.to_base(high[0])
    if low_unit.dimension != unit.dimension or start >= end:
        return None
    return Value(ValueKind.RANGE, f"{number_text(start)}..{number_text(end)} {unit.dimension}".rstrip())


def _plain_number(text: str) -> Measurement | None:
    number = parse_number(text.casefold())
    return None if number is None else (number, _NO_UNIT)


def _completed(low: str, high: str) -> str:
    """1914-18 ends in 1918, 1999-00 in 2000, and $5-10 in $10."""
    if _DIGITS.fullmatch(low) and _DIGITS.fullmatch(high) and len(low) == 4 and len(high) == 2:
        return str(int(low[:2]) + (high < low[2:])) + high
    return low[0] + high if low[0] in "$€£¥" and high[0].isdecimal() else high


def _scaled(low: str, high: str) -> str:
    """20-30 million begins with 20 million."""
    scale = _SCALE.search(high)
    start = _NUMERAL.fullmatch(low)
    if scale is None or start is None or float(start["number"]) >= float(scale["number"]):
        return low
    return f"{low} {scale['scale']}"


def _dated(low: str, high: str) -> Value | None:
    for first, last in _whole_dates(low.split(), high.split()):
        start, end = parse_date(first), parse_date(last)
        if start and end and start < end and start.count("-") == end.count("-"):
            return Value(ValueKind.RANGE, f"{start}..{end}")
    return None


def _whole_dates(low: list[str], high: list[str]) -> Iterator[tuple[str, str]]:
    """Both ends in full, where one leaves out what they share: 5-7 June 1990, June 5-7, 1990."""
    if len(low) > _MAX_WORDS or len(high) > _MAX_WORDS:
        return
    first, last = " ".join(low), " ".join(high)
    yield first, last
    for at in range(1, len(high)):
        tail = " ".join(high[at:])
        yield f"{first} {tail}", last
        yield f"{first} {tail}", f"{low[0]} {last}"


def split_bound(text: str) -> tuple[str, str] | None:
    """The canonical bound and the bounded part, `("at least", "42 m")`, or None."""
    if match := _BOUND_IN_FRONT.fullmatch(text):
        return _IN_FRONT[match["bound"].casefold()], match["rest"]
    if match := _BOUND_BEHIND.fullmatch(text):
        return _BEHIND[match["bound"].casefold()] if match["bound"] else "at least", match["rest"]
    return None
