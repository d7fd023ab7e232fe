"""Ranges: 5 to 10 km, 1914-18, between 10 % and 15 %, 5-7 June 1990, May to June 1874."""

import re
from collections.abc import Iterator
from fractions import Fraction

from answering.equivalence.values.dates import date
from answering.equivalence.values.numbers import number
from answering.equivalence.values.quantities import quantity
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


def value_range(text: str) -> Value | None:
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
    high = quantity(high_text) or _bare(high_text)
    low = quantity(low_text) or _bare(low_text)
    if low is None or high is None or low.magnitude is None or high.magnitude is None:
        return None
    return _between(low.magnitude, low.unit or high.unit, high.magnitude, high.unit)


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


def _between(low: Fraction, low_unit: Unit | None, high: Fraction, high_unit: Unit | None) -> Value | None:
    if low_unit is None or high_unit is None:
        ends, dimension = (low, high), ""
        if low_unit is not high_unit:
            return None
    else:
        ends, dimension = (low_unit.to_base(low), high_unit.to_base(high)), f" {low_unit.dimension}"
        if low_unit.dimension != high_unit.dimension:
            return None
    if ends[0] >= ends[1]:
        return None
    return Value(ValueKind.RANGE, f"{number_text(ends[0])}..{number_text(ends[1])}{dimension}")


def _bare(text: str) -> Value | None:
    value = number(text.casefold())
    return None if value is None else Value(ValueKind.NUMBER, number_text(value), value)


def _dated(low: str, high: str) -> Value | None:
    for first, last in _whole_dates(low.split(), high.split()):
        start, end = date(first), date(last)
        if start and end and start < end and start.count("-") == end.count("-"):
            return Value(ValueKind.RANGE, f"{start}..{end}")
    return None


def _whole_dates(low: list[str], high: list[str]) -> Iterator[tuple[str, str]]:
    """What both ends share may stand at one of them: 5-7 June 1990, June 5-7, 1990, 3 May - 5 June 1874."""
    if len(low) > _MAX_WORDS or len(high) > _MAX_WORDS:
        return
    first, last = " ".join(low), " ".join(high)
    yield first, last
    for at in range(1, len(high)):
        tail = " ".join(high[at:])
        yield f"{first} {tail}", last
        yield f"{first} {tail}", f"{low[0]} {last}"
