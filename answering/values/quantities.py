"""Numbers with a unit, and ranges: 42 m, $3.5 million, 5 ft 10 in, 5 to 10 km, 1914-18."""

import re
from fractions import Fraction

from answering.values.numbers import number
from answering.values.units import CURRENCY_CODES, CURRENCY_SIGNS, Unit, find_unit
from answering.values.value import Value, ValueKind, number_text

_MAX_WORDS = 12
_MONEY = "|".join(map(re.escape, (*CURRENCY_SIGNS, *CURRENCY_CODES)))
_MONEY_FIRST = re.compile(
    rf"(?P<sign>-)?(?P<money>{_MONEY}) ?(?P<amount>\d.*?)(?:(?<=\d) ?(?P<short>k|m|mn|b|bn|tn))?", re.IGNORECASE
)
_SHORT_SCALES = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9, "tn": 10**12}
_FEET_AND_INCHES = re.compile(r"(\d{1,2}) ?['\u2032\u2019] ?(\d{1,2}) ?(?:\"|''|\u2032\u2032|\u201d)", re.ASCII)
_GLUED = re.compile(r"(?<=\d)-?(?=[^\W\d_])|(?<=\d)(?=[°%‰€£$¥₹₩₽])")
_DIMENSION_WORDS = {"tall", "high", "long", "wide", "deep", "thick", "old", "away", "apart"}
_RANGE = re.compile(r"(?:between |from )?(?P<low>[^-]+?)(?: ?- ?| to | and )(?P<high>[^-]+)")
_DIGITS = re.compile(r"\d+", re.ASCII)


def quantity(text: str) -> Value | None:
    """The quantity that the whole of a text spells; the case of symbols matters."""
    return _money(text) or _measured(text)


def value_range(text: str) -> Value | None:
    """The range that the whole of a text spells, from a smaller to a larger number or quantity."""
    match = _RANGE.fullmatch(text)
    if match is None or (" and " in text and not text.startswith("between ")):
        return None
    high_text = _completed(match["low"], match["high"])
    high = quantity(high_text) or _bare(high_text)
    low = quantity(match["low"]) or _bare(match["low"])
    if low is None or high is None or low.magnitude is None or high.magnitude is None:
        return None
    return _range(low.magnitude, low.unit or high.unit, high.magnitude, high.unit)


def _completed(low: str, high: str) -> str:
    """1914-18 ends in 1918."""
    if _DIGITS.fullmatch(low) and _DIGITS.fullmatch(high) and len(low) == 4 and len(high) == 2:
        return low[:2] + high
    return high


def _range(low: Fraction, low_unit: Unit | None, high: Fraction, high_unit: Unit | None) -> Value | None:
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


def _measure(magnitude: Fraction, unit: Unit) -> Value:
    base = number_text(unit.to_base(magnitude))
    return Value(ValueKind.QUANTITY, f"{base} {unit.dimension}", magnitude, unit)


def _money(text: str) -> Value | None:
    match = _MONEY_FIRST.fullmatch(text)
    unit = find_unit(match["money"]) if match else None
    amount = number(match["amount"].casefold()) if match else None
    if match is None or unit is None or amount is None:
        return None
    scale = _SHORT_SCALES[match["short"].casefold()] if match["short"] else 1
    return _measure(amount * scale * (-1 if match["sign"] else 1), unit)


def _measured(text: str) -> Value | None:
    spelled = _FEET_AND_INCHES.sub(r"\1 ft \2 in", text)
    words = _GLUED.sub(" ", spelled).split(maxsplit=_MAX_WORDS)
    if len(words) > _MAX_WORDS:
        return None
    if words and words[-1].casefold() in _DIMENSION_WORDS:
        words = words[:-1]
    return _number_and_unit(words) or _compound(words)


def _number_and_unit(words: list[str]) -> Value | None:
    for end in range(len(words) - 1, 0, -1):
        magnitude = number(" ".join(words[:end]).casefold())
        unit = None if magnitude is None else find_unit(" ".join(words[end:]))
        if magnitude is not None and unit is not None:
            return _measure(magnitude, unit)
    return None


def _compound(words: list[str]) -> Value | None:
    """5 ft 10 in, 2 hours and 30 minutes: units of one dimension, each smaller than the one before."""
    for end in range(2, len(words) - 1):
        first = _number_and_unit(words[:end])
        rest = words[end + 1 :] if words[end] == "and" else words[end:]
        second = _number_and_unit(rest) or _compound(rest) if first else None
        if first and second and (whole := _sum(first, second)):
            return whole
    return None


def _sum(first: Value, second: Value) -> Value | None:
    if first.unit is None or second.unit is None or first.magnitude is None or second.magnitude is None:
        return None
    ratio = second.unit.factor / first.unit.factor
    if first.unit.dimension != second.unit.dimension or ratio >= 1:
        return None
    return _measure(first.magnitude + second.magnitude * ratio, first.unit)
