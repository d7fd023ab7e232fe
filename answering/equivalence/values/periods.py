"""Periods that no calendar date spells: decades, centuries, seasons and quarters of a year."""

import re

from answering.equivalence.values.dates import parse_date
from answering.equivalence.values.number_words import spelled_cardinal
from answering.equivalence.values.numerals import ROMAN_NUMERALS, parse_ordinal
from answering.equivalence.values.value import ordinal_text

_PART = r"(?:(?P<part>early|mid|middle|late)(?:[ -]| of the )(?:the )?)?"
_ERA = r"(?P<era> bce?| ad| ce)?"
_DECADE = re.compile(rf"{_PART}(?P<start>[1-9]\d{{1,2}}0)['\u2019]?s{_ERA}", re.ASCII)
_SPELLED_DECADE = re.compile(rf"{_PART}(?P<century>[a-z]+)[ -](?P<tens>[a-z]+)ies")
_CENTURY = re.compile(rf"{_PART}(?P<rank>[a-z0-9 -]+?)[ -](?P<unit>century|cent|millennium|c)\.?{_ERA}")
_PART_OF_YEAR = re.compile(
    r"(?P<part>early|mid|middle|late)(?:[ -]| of )(?:in )?(?P<rest>[1-9]\d{3}|[a-z]{3,9}\.?,?(?: of)? [1-9]\d{3})",
    re.ASCII,
)
_SEASON = re.compile(r"(?:the )?(?P<season>spring|summer|fall|autumn|winter)(?: of)?,? (?P<year>[1-9]\d{3})")
_QUARTER = re.compile(
    r"(?:q(?P<digit>[1-4])|(?P<rank>[a-z0-9]+) quarter),?(?: of)? (?P<year>[1-9]\d{3})"
    r"|(?P<first>[1-9]\d{3})[ -]?q(?P<behind>[1-4])"
)
_UNITS = {"century": "century", "cent": "century", "c": "century", "millennium": "millennium"}


def parse_period(text: str) -> str | None:
    """The period that the whole of a lower-case text spells: 1960s, late 19th century bc, 2010-autumn, 2010-q3."""
    bare = text.removeprefix("the ")
    parsers = (_part_of_year, _decade, _spelled_decade, _century, _season, _quarter)
    return next(filter(None, (parse(bare) for parse in parsers)), None)


def _part_of_year(text: str) -> str | None:
    """Early 1994, mid-July 1994."""
    match = _PART_OF_YEAR.fullmatch(text)
    month = parse_date(match["rest"]) if match else None
    if match is None or not (month or match["rest"].isdecimal()):
        return None
    return _named(match, month or match["rest"])


def _decade(text: str) -> str | None:
    match = _DECADE.fullmatch(text)
    return _named(match, f"{match['start']}s") if match else None


def _spelled_decade(text: str) -> str | None:
    """The nineteen sixties."""
    match = _SPELLED_DECADE.fullmatch(text)
    century = spelled_cardinal([match["century"]]) if match else None
    tens = spelled_cardinal([match["tens"] + "y"]) if match else None
    if match is None or century is None or tens is None or not 10 <= century <= 20:
        return None
    return _named(match, f"{100 * century + tens}s")


def _century(text: str) -> str | None:
    match = _CENTURY.fullmatch(text)
    rank = (parse_ordinal(match["rank"]) or ROMAN_NUMERALS.get(match["rank"])) if match else None
    return _named(match, f"{ordinal_text(rank)} {_UNITS[match['unit']]}") if match and rank else None


def _named(match: re.Match[str], name: str) -> str:
    groups = match.groupdict()
    part = {"middle": "mid"}.get(groups["part"] or "", groups["part"])
    before_christ = " bc" if (groups.get("era") or "").startswith(" bc") else ""
    return f"{part} {name}{before_christ}" if part else name + before_christ


def _season(text: str) -> str | None:
    match = _SEASON.fullmatch(text)
    return f"{match['year']}-{match['season'].replace('fall', 'autumn')}" if match else None


def _quarter(text: str) -> str | None:
    if (match := _QUARTER.fullmatch(text)) is None:
        return None
    rank = int(match["digit"] or match["behind"] or 0) or parse_ordinal(match["rank"])
    return f"{match['year'] or match['first']}-q{rank}" if rank and rank <= 4 else None
