"""Calendar dates: a day, a month, a day of any year, a year before Christ. A bare year is a number.

3/5/1874 may be of May or of March, so unless a part is above 12 it equals only itself. Names of months come from
Babel (CLDR).
"""

import calendar
import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from babel import Locale

from answering.equivalence.values.number_words import spelled_ordinal

_OTHER_LANGUAGES = ("fr", "de", "de_AT", "es", "it", "pt", "nl")
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_ISO_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])|(?=\d{1,2}/\d)(0?[1-9]|1[0-2])/([1-9]\d{3})", re.ASCII)
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})", re.ASCII)
_HAN = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일])?", re.ASCII)
_HAN_YEAR = re.compile(r"^([1-9]\d{2,3})\s?[年년]$", re.ASCII)
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|º)?", re.ASCII)
_YEAR = re.compile(r"[1-9]\d{2,3}", re.ASCII)
_ANY_YEAR = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_THOUSANDS_BEFORE_CHRIST = re.compile(r",(?=\d{3} bce?$)", re.ASCII)
_SEPARATORS = re.compile(r"[\s,./-]+")
_FILLERS = {"", "of", "the", "de", "del", "den", "le", "el"}
_BEFORE_CHRIST = {"bc", "bce"}
_MAX_WORDS = 9


def parse_date(text: str) -> str | None:
    """The date that a lower-case text spells, like ISO 8601: 1874-05-03, 1874-05, --05-03, -44 (44 BC); 1874 3/5."""
    return _iso(text) or _numeric(text) or _han(text) or _in_words(_THOUSANDS_BEFORE_CHRIST.sub("", text))


def plain_year(text: str) -> str:
    """`1994年` without the character for year; any other text unchanged."""
    return _HAN_YEAR.sub(r"\1", text)


def _iso(text: str) -> str | None:
    if match := _ISO.fullmatch(text):
        return _day(int(match[1]), int(match[3]), int(match[4]))
    match = _ISO_MONTH.fullmatch(text)
    return _month_of(match[1] or match[4], int(match[2] or match[3])) if match else None


def _numeric(text: str) -> str | None:
    if (match := _NUMERIC.fullmatch(text)) is None:
        return None
    first, mark, second, year = int(match[1]), match[2], int(match[3]), int(match[4])
    # Where dates are written with dots, the day always stands first.
    if mark == "." or first > 12 or first == second:
        return _day(year, second, first)
    if second > 12:
        return _day(year, first, second)
    return f"{year:04} {first}/{second}" if first >= 1 and second >= 1 else None


def _han(text: str) -> str | None:
    if (match := _HAN.fullmatch(text)) is None:
        return None
    return _day(int(match[1]), int(match[2]), int(match[3])) if match[3] else _month_of(match[1], int(match[2]))


def _in_words(text: str) -> str | None:
    words = _joined_ordinals([word for word in _SEPARATORS.split(text, _MAX_WORDS) if word not in _FILLERS])
    if words and words[0] in _english("days"):
        words = words[1:]
    if words[-1:] and words[-1] in _BEFORE_CHRIST:
        return _before_christ(words[:-1])
    return _with_month_name(words)


def _joined_ordinals(words: list[str]) -> list[str]:
    """Twenty-first is one word, and the 4th day is the 4th."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in {"twenty", "thirty"} and spelled_ordinal([joined[-1], word]):
            joined[-1] += f" {word}"
        elif not (word == "day" and joined):
            joined.append(word)
    return joined


def _before_christ(words: list[str]) -> str | None:
    if len(words) == 1:
        return f"-{words[0]}" if _ANY_YEAR.fullmatch(words[0]) else None
    if not words or not _ANY_YEAR.fullmatch(words[-1]):
        return None
    day_and_month = _with_month_name(words[:-1])
    return f"-{words[-1]}{day_and_month.removeprefix('-')}" if day_and_month else None


def _with_month_name(words: list[str]) -> str | None:
    months = {at: month for at, word in enumerate(words) if (month := _month(word, behind_day=at > 0))}
    if len(months) != 1:
        return None
    month = next(iter(months.values()))
    match [None if at in months else word for at, word in enumerate(words)]:
        case [str(year), None, str(day)] | [str(year), str(day), None] if _YEAR.fullmatch(year):
            return _day(int(year), month, _day_number(day))
        case [str(day), None, str(year)] | [None, str(day), str(year)] if _YEAR.fullmatch(year):
            return _day(int(year), month, _day_number(day))
        case [None, str(year)] | [str(year), None] if _YEAR.fullmatch(year):
            return _month_of(year, month)
        case [None, str(day)] | [str(day), None]:
            return _day(None, month, _day_number(day))
    return None


def _month(word: str, *, behind_day: bool) -> int | None:
    """The month; names in other languages only behind a day, as Mars 3 is a spacecraft."""
    month = _english("months").get("sep" if word == "sept" else word)
    return month or (_months_of_other_languages().get(word) if behind_day else None)


@cache
def _english(kind: str) -> Mapping[str, int]:
    """The full and the abbreviated English names, in lower case, with their numbers."""
    widths = getattr(Locale("en"), kind)["format"]
    return {name.lower(): at for width in ("abbreviated", "wide") for at, name in widths[width].items()}


@cache
def _months_of_other_languages() -> Mapping[str, int]:
    """Full names, also without diacritics and with `ae` for `ä`."""
    months = [Locale.parse(language).months["format"]["wide"] for language in _OTHER_LANGUAGES]
    names = {name.casefold(): month for language in months for month, name in language.items()}
    unmarked = {unicodedata.normalize("NFD", name).encode("ascii", "ignore").decode(): m for name, m in names.items()}
    return names | unmarked | {name.replace("ä", "ae"): month for name, month in names.items()}


def _day_number(word: str) -> int:
    """The day of the month, 0 if the word is none."""
    if match := _DAY.fullmatch(word):
        return int(match[1])
    return spelled_ordinal(word.split()) or 0


def _month_of(year: str, month: int) -> str | None:
    return f"{int(year):04}-{month:02}" if 1 <= month <= 12 else None


def _day(year: int | None, month: int, day: int) -> str | None:
    # 2000 had a 29th of February.
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year or 2000, month)[1]:
        return None
    return f"{'-' if year is None else f'{year:04}'}-{month:02}-{day:02}"
