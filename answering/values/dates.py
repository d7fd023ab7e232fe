"""Calendar dates: a day, a month, a day of any year, a year before Christ. A bare year is a number.

The order of day and month in 3/5/1874 is a guess in any country, so it is left as text unless one is above 12.
"""

import calendar
import re

from dateutil.parser import parserinfo

from answering.values.number_words import spelled_ordinal

_NAMES = parserinfo()
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", re.ASCII)
_ISO_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])", re.ASCII)
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})", re.ASCII)
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?", re.ASCII)
_YEAR = re.compile(r"[1-9]\d{2,3}", re.ASCII)
_ANY_YEAR = re.compile(r"[1-9]\d{0,3}", re.ASCII)
_SEPARATORS = re.compile(r"[\s,./-]+")
_BEFORE_CHRIST = {"bc", "bce"}
_MAX_WORDS = 8


def date(text: str) -> str | None:
    """The date that a lower-case text spells, like ISO 8601: 1874-05-03, 1874-05, --05-03, -44 (44 BC)."""
    return _iso(text) or _numeric(text) or _in_words(text)


def _iso(text: str) -> str | None:
    if match := _ISO.fullmatch(text):
        return _day(int(match[1]), int(match[3]), int(match[4]))
    if match := _ISO_MONTH.fullmatch(text):
        return f"{match[1]}-{match[2]}"
    return None


def _numeric(text: str) -> str | None:
    match = _NUMERIC.fullmatch(text)
    if match is None:
        return None
    first, mark, second, year = int(match[1]), match[2], int(match[3]), int(match[4])
    # Where dates are written with dots, the day always stands first.
    if mark == "." or first > 12 or first == second:
        return _day(year, second, first)
    return _day(year, first, second) if second > 12 else None


def _in_words(text: str) -> str | None:
    words = [word for word in _SEPARATORS.split(text, _MAX_WORDS) if word not in {"", "of", "the"}]
    if words and _NAMES.weekday(words[0]) is not None:
        words = words[1:]
    if words[-1:] and words[-1] in _BEFORE_CHRIST:
        return _before_christ(words[:-1])
    return _with_month_name(words)


def _before_christ(words: list[str]) -> str | None:
    if len(words) == 1:
        return f"-{words[0]}" if _ANY_YEAR.fullmatch(words[0]) else None
    if not words or not _ANY_YEAR.fullmatch(words[-1]):
        return None
    day_and_month = _with_month_name(words[:-1])
    return f"-{words[-1]}{day_and_month.removeprefix('-')}" if day_and_month else None


def _with_month_name(words: list[str]) -> str | None:
    months = [_NAMES.month(word) for word in words]
    if sum(month is not None for month in months) != 1:
        return None
    month = next(month for month in months if month is not None)
    match [None if is_month is not None else word for word, is_month in zip(words, months, strict=True)]:
        case [str(year), None, str(day)] if _YEAR.fullmatch(year):
            return _day(int(year), month, _day_number(day))
        case [str(day), None, str(year)] | [None, str(day), str(year)] if _YEAR.fullmatch(year):
            return _day(int(year), month, _day_number(day))
        case [None, str(year)] | [str(year), None] if _YEAR.fullmatch(year):
            return f"{int(year):04}-{month:02}"
        case [None, str(day)] | [str(day), None]:
            return _day(None, month, _day_number(day))
    return None


def _day_number(word: str) -> int:
    """The day of the month, 0 if the word is none."""
    if match := _DAY.fullmatch(word):
        return int(match[1])
    return spelled_ordinal([word]) or 0


def _day(year: int | None, month: int, day: int) -> str | None:
    if not 1 <= month <= 12:
        return None
    # 2000 had a 29th of February.
    if not 1 <= day <= calendar.monthrange(year or 2000, month)[1]:
        return None
    return f"{'-' if year is None else f'{year:04}'}-{month:02}-{day:02}"
