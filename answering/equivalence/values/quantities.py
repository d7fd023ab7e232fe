"""Numbers with a unit: 42 m, $3.5 million, 5 ft 10 in, an hour and a half, 3,559 people, 42 years old."""

import re
from fractions import Fraction
from typing import TypeAlias

from answering.equivalence.values.number_words import CARDINAL_WORDS
from answering.equivalence.values.numerals import parse_number
from answering.equivalence.values.units import CURRENCY_SIGNS, Unit, find_unit
from answering.equivalence.values.value import Value, ValueKind, number_text

_MAX_WORDS = 12
_MONEY = "|".join(map(re.escape, CURRENCY_SIGNS))
_MONEY_FIRST = re.compile(
    rf"(?P<sign>-)?(?P<money>{_MONEY}) ?(?P<amount>\d.*?)(?:(?<=\d) ?(?P<short>k|m|mn|b|bn|tn))?", re.IGNORECASE
)
_SHORT_SCALES = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9, "tn": 10**12}
_FEET_AND_INCHES = re.compile(r"(\d{1,2}) ?['\u2032\u2019] ?(\d{1,2}) ?(?:\"|''|\u2032\u2032|\u201d)", re.ASCII)
_GLUED = re.compile(r"(?<=\d)-?(?=[^\W\d_])|(?<=\d)(?=[°%‰€£$¥₹₩₽])")
_HYPHENED_NUMBER = re.compile(rf"\b({'|'.join(sorted(CARDINAL_WORDS))})-(?=[^\W\d_])", re.IGNORECASE)
_HYPHENED = re.compile(r"(?<=[^\W\d_])-(?=(?:old|tall|high|long|wide|deep|thick|\d))")
_FEET_AND_REST = re.compile(r"(\d{1,2}) (?:ft\.?|foot|feet),? (\d|1[01])", re.ASCII | re.IGNORECASE)
_AND_A_HALF = re.compile(r"(?:an?|one) ([a-z]+) and a half", re.IGNORECASE)
_HALF_A = re.compile(r"(?:a )?half(?: an?|-an?)? ([a-z]+)", re.IGNORECASE)
_BELOW_ZERO = re.compile(r"([^-].*\S) below(?: zero)?", re.IGNORECASE)
_AGED = re.compile(r"(?:aged?|at(?: the)? age(?: of)?) (\d{1,3})", re.ASCII | re.IGNORECASE)
_DIMENSION_WORDS = {"tall", "high", "long", "wide", "deep", "thick", "old", "away", "apart"}
_PERSON = Unit("person", Fraction(1))
PERSONS = frozenset({"person", "persons", "people", "inhabitants", "residents", "individuals", "人", "名"})
"""Words that stand for the unit of counted persons."""


Measurement: TypeAlias = tuple[Fraction, Unit]


def parse_quantity(text: str) -> Value | None:
    """The quantity that the whole of a text spells, or None; the case of symbols matters."""
    if (measurement := parse_measurement(text)) is None:
        return None
    magnitude, unit = measurement
    return Value(ValueKind.QUANTITY, f"{number_text(unit.to_base(magnitude))} {unit.dimension}", magnitude, unit)


def parse_measurement(text: str) -> Measurement | None:
    """The number and the unit that the whole of a text spells, before any conversion."""
    return _amount_of_money(text) or _measured(text)


def _amount_of_money(text: str) -> Measurement | None:
    match = _MONEY_FIRST.fullmatch(text)
    unit = find_unit(match["money"]) if match else None
    amount = parse_number(match["amount"].casefold()) if match else None
    if match is None or unit is None or amount is None:
        return None
    scale = _SHORT_SCALES[match["short"].casefold()] if match["short"] else 1
    return amount * scale * (-1 if match["sign"] else 1), unit


def _measured(text: str) -> Measurement | None:
    words = (
        _GLUED.sub(" ", _HYPHENED_NUMBER.sub(r"\1 ", _completed(text))).replace(", ", " ").split(maxsplit=_MAX_WORDS)
    )
    if len(words) > _MAX_WORDS:
        return None
    if words and words[-1].casefold() in _DIMENSION_WORDS:
        words = words[:-1]
    return _below_zero(text) or _number_and_unit(words) or _compound(words)


def _completed(text: str) -> str:
    """The text with a unit or number that it leaves out: 6-foot-2 (inches), aged 42 (years), an hour and a half."""
    spelled = _HYPHENED.sub(" ", _FEET_AND_INCHES.sub(r"\1 ft \2 in", text))
    for pattern, full in (
        (_FEET_AND_REST, r"\1 ft \2 in"),
        (_AGED, r"\1 years"),
        (_AND_A_HALF, r"1.5 \1"),
        (_HALF_A, r"0.5 \1"),
    ):
        if match := pattern.fullmatch(_GLUED.sub(" ", spelled) if pattern is _FEET_AND_REST else spelled):
            return match.expand(full)
    return spelled.removesuffix(" of age")


def _below_zero(text: str) -> Measurement | None:
    match = _BELOW_ZERO.fullmatch(text)
    above = _measured(match[1]) if match else None
    return (-above[0], above[1]) if above and above[1].offset else None


def _number_and_unit(words: list[str]) -> Measurement | None:
    for end in range(len(words) - 1, 0, -1):
        magnitude = parse_number(" ".join(words[:end]).casefold())
        name = " ".join(words[end:])
        if magnitude is not None and (unit := _PERSON if name.casefold() in PERSONS else find_unit(name)):
            return magnitude, unit
    return None


def _compound(words: list[str]) -> Measurement | None:
    """5 ft 10 in, 2 hours and 30 minutes: units of one dimension, each smaller than the one before."""
    for end in range(2, len(words) - 1):
        first = _number_and_unit(words[:end])
        rest = words[end + 1 :] if words[end] == "and" else words[end:]
        second = _number_and_unit(rest) or _compound(rest) if first else None
        if first and second and first[1].dimension == second[1].dimension:
            ratio = second[1].factor / first[1].factor
            if ratio < 1:
                return first[0] + second[0] * ratio, first[1]
    return None
