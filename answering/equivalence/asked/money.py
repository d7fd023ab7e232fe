"""Currencies by name and code: EUR, euro, euros and EUR (euro) are one, where the question asks for a currency.

Names, codes and countries come from Babel (CLDR). Elsewhere ALL, TOP and CUP are words.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache

import regex
from babel import Locale
from babel.numbers import get_currency_name, get_territory_currencies

from answering.equivalence.normalisation import canonical_text
from answering.equivalence.spelling import without_diacritics

_ASKED = regex.compile(
    r"\b(?:currency|currencies|legal tender|monetary unit|(?:kind|sort|type) of money|money is|pay with)\b",
    regex.IGNORECASE,
)
_AMOUNT_ASKED = regex.compile(r"\bhow (?:much|many)\b", regex.IGNORECASE)
_CODE = regex.compile(r"[A-Z]{3}")
# Afghan afghani (AFN); EUR (euro); laris (GEL) per US dollar; also where the reader cut off the bracket.
_WITH_CODE = regex.compile(r"(?P<outer>[^()]+?)\s*+\((?P<inner>[^()]+)(?:\)(?:\s++per\s.++)?+)?+")
_ABBREVIATION = regex.compile(r"[\p{L}\p{Sc}./]{1,8}")
_ONE = regex.compile(r"^(?:1|one|a|the)\s++(?=\p{L})", regex.IGNORECASE)
# Before, some countries had another currency of the same unit.
_SINCE, _UNTIL = date(1990, 1, 1), date(2100, 1, 1)
_MAX_COUNTRY_WORDS = 6


def as_money(answer: str, question: str) -> str:
    """The name of a currency in the singular, also for its code, if the question asks for a currency.

    That of the country in the question is its unit alone.

    >>> question = "What is the currency of Norway?"
    >>> [as_money(answer, question) for answer in ("NOK", "Norwegian kroner (NKr)", "Krone", "Danish kroner")]
    ['krone', 'krone', 'krone', 'danish krone']
    >>> as_money("TOP", "Where did she finish?")
    'TOP'
    """
    if not _asks_for_money(question):
        return answer
    name = _name(_ONE.sub("", answer.strip()))
    if name is None:
        return answer
    return _local_units(question).get(name, name)


def _name(answer: str) -> str | None:
    """The canonical name with its last word in the singular, that of a code if there is one; None for no currency."""
    match = _WITH_CODE.fullmatch(answer)
    parts = [match["outer"], match["inner"].strip()] if match else [answer]
    code = next((part for part in parts if _CODE.fullmatch(part) and part in _names()), None)
    if code:
        return _names()[code]
    if "(" in answer and not (match and _ABBREVIATION.fullmatch(parts[1])):
        return None
    *before, last = _canonical(parts[0]).split() or [""]
    unit = _singulars().get(last, last)
    return " ".join([*before, unit]) if unit in _units() else None


@lru_cache(maxsize=1_000)
def _asks_for_money(question: str) -> bool:
    return bool(_ASKED.search(question)) and not _AMOUNT_ASKED.search(question)


@lru_cache(maxsize=1_000)
def _local_units(question: str) -> Mapping[str, str]:
    """The last word of the name of each currency of the countries in the question, unless another of these has it."""
    countries = _countries_in(_canonical(question).split())
    codes = {code for country in countries for code in get_territory_currencies(country, _SINCE, _UNTIL)}
    names = {_names()[code] for code in codes if code in _names()}
    count = Counter(map(_unit, names))
    return {name: _unit(name) for name in names if count[_unit(name)] == 1}


def _countries_in(words: Sequence[str]) -> Iterator[str]:
    """The codes of the countries that are named, of Equatorial Guinea not that of Guinea."""
    start = 0
    while start < len(words):
        lengths = range(_MAX_COUNTRY_WORDS, 0, -1)
        length = next((n for n in lengths if " ".join(words[start : start + n]) in _countries()), 0)
        if length:
            yield _countries()[" ".join(words[start : start + length])]
        start += length or 1


def _canonical(name: str) -> str:
    """The canonical text without what CLDR adds in brackets: the other name of a country, the years of a currency."""
    return without_diacritics(canonical_text(name.partition(" (")[0]))


def _unit(name: str) -> str:
    return name.rsplit(maxsplit=1)[-1]


@cache
def _countries() -> Mapping[str, str]:
    """The codes of countries by canonical name."""
    return {_canonical(name): code for code, name in Locale("en").territories.items() if code.isalpha()}


@cache
def _names() -> Mapping[str, str]:
    """The canonical names of currencies by code."""
    return {code: _canonical(get_currency_name(code, 1, "en")) for code in map(str, Locale("en").currencies)}


@cache
def _units() -> frozenset[str]:
    return frozenset(map(_unit, _names().values()))


@cache
def _singulars() -> Mapping[str, str]:
    """The last words of names in the plural, with those in the singular where they differ: kroner, krone."""
    plurals = {_unit(_canonical(get_currency_name(code, 2, "en"))): _unit(name) for code, name in _names().items()}
    return {plural: singular for plural, singular in plurals.items() if plural != singular}
