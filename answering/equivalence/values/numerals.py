"""Numbers in digits, in words, in both and in Roman numerals: 1,000, one thousand, 3.5 million, 6.02x10^23, XIV."""

import re
from fractions import Fraction
from functools import lru_cache
from math import gcd

from answering.equivalence.values.number_words import MULTIPLIERS, spelled_number, spelled_ordinal

MAX_EXPONENT = 300
"""Larger powers of ten stay text: their digits would fill the key."""

MAX_DIGITS = 1_000
"""Longer rows of digits stay text: Python refuses to convert more than 4,300."""

# 007 is an identifier. 3,5 is a decimal in one country and a list in another, so it stays text.
_NUMERAL = re.compile(
    r"""
    (?P<sign>[+-])?\ ?
    (?P<digits>
        \d{1,3}(?:,\d{3})+(?:\.\d+)?         # 1,000.5
      | \d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?   # 1,00,000
      | \d{1,3}(?:[ ]\d{3})+(?:\.\d+)?       # 1 000 000
      | \d{1,3}(?:'\d{3})+(?:\.\d+)?         # 1'000'000
      | \d{1,3}(?:\.\d{3}){2,}               # 1.000.000
      | (?:0|[1-9]\d*)?\.\d+
      | 0 | [1-9]\d*
    )
    (?: (?:\ ?[x*·\u00d7]\ ?10\^|e) (?P<exponent>[+-]?\d{1,4}) )?
    """,
    re.VERBOSE | re.ASCII,
)
_POWER_OF_TEN = re.compile(r"10\^(?P<exponent>[+-]?\d{1,4})", re.ASCII)
_FRACTION = re.compile(
    r"(?:(?P<whole>\d{1,6}) )?(?P<above>\d{1,3})(?P<mark>[\u2044/])(?P<below>[1-9]\d{0,2})", re.ASCII
)
_COMMON_DENOMINATORS = {2, 3, 4, 5, 6, 8, 10}
_SCALES = "|".join(MULTIPLIERS)
_SCALED = re.compile(rf"(?P<head>.*\S)[ -](?P<scales>(?:{_SCALES})s?(?:[ -](?:{_SCALES}))*)")
_ORDINAL = re.compile(r"(?P<rank>\d{1,3}(?:,\d{3})+|[1-9]\d{0,8}) ?(?:st|nd|rd|th)", re.ASCII)


_ROMAN_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN_TENS = ("", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx")
ROMAN_NUMERALS = {
    tens + ones: 10 * ten + unit
    for ten, tens in enumerate(_ROMAN_TENS)
    for unit, ones in enumerate(_ROMAN_ONES)
    if tens + ones
}
"""I to LXXXIX in lower case: rulers, wars, centuries and sequels need no more, and `mix` and `dim` stay words."""


@lru_cache(maxsize=10_000)
def parse_number(text: str) -> Fraction | None:
    """The number that the whole of a lower-case text spells, or None; floats are never used, so it is exact."""
    for sign in ("minus ", "negative "):
        if text.startswith(sign):
            value = parse_number(text.removeprefix(sign))
            return None if value is None else -value
    value = _numeral(text)
    if value is None:
        value = _scaled(text)
    return spelled_number(text.replace("-", " ").split()) if value is None else value


def parse_ordinal(text: str) -> int | None:
    """The rank that the whole of a lower-case text spells, or None: 21st, twenty-first."""
    if match := _ORDINAL.fullmatch(text):
        return int(match["rank"].replace(",", ""))
    return spelled_ordinal(text.replace("-", " ").split())


def _numeral(text: str) -> Fraction | None:
    if text.isdecimal() and text.isascii() and (text == "0" or text[0] != "0"):
        return Fraction(int(text)) if len(text) <= MAX_DIGITS else None
    if match := _NUMERAL.fullmatch(text):
        value = Fraction(_plain_digits(match["digits"])) * (-1 if match["sign"] == "-" else 1)
        return _with_exponent(value, int(match["exponent"] or 0))
    if match := _POWER_OF_TEN.fullmatch(text):
        return _with_exponent(Fraction(1), int(match["exponent"]))
    return _fraction(text)


def _fraction(text: str) -> Fraction | None:
    """2 1/2 and 2/3; with a plain slash only what is in lowest terms, below 1 and common: 9/11 is a day."""
    match = _FRACTION.fullmatch(text)
    if match is None:
        return None
    above, below = int(match["above"]), int(match["below"])
    if match["mark"] == "/" and not (below in _COMMON_DENOMINATORS and 0 < above < below and gcd(above, below) == 1):
        return None
    return int(match["whole"] or 0) + Fraction(above, below)


def _plain_digits(digits: str) -> str:
    plain = digits.translate({ord(mark): None for mark in ", '"})
    return plain.replace(".", "") if plain.count(".") > 1 else plain


def _with_exponent(value: Fraction, exponent: int) -> Fraction | None:
    if exponent == 0:
        return value
    return value * Fraction(10) ** exponent if abs(exponent) <= MAX_EXPONENT else None


def _scaled(text: str) -> Fraction | None:
    """Digits before scale words: 3.5 million, 2 hundred thousand."""
    match = _SCALED.fullmatch(text)
    value = _numeral(match["head"]) if match else None
    if match is None or value is None:
        return None
    for scale in re.split("[ -]", match["scales"]):
        value *= MULTIPLIERS[scale.removesuffix("s")]
    return value
