"""What the sources of the country data set state, read by rules from their own sentences and not by a reader."""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

_FACTBOOK = "CIA World Factbook "
_NUMBER = r"([\d,.]+)"
_PLUS = r"\+([\d ]+)"
# Notes, coordinates and other parts of a field of the Factbook, and what stands in brackets.
_BEHIND = re.compile(r";| note\b| geographic coordinates| time difference|\s*[(\[]")


class Relation(StrEnum):
    """What is stated of a country."""

    CAPITAL = "capital"
    CURRENCY = "currency"
    CALLING_CODE = "calling code"
    AREA = "area"
    POPULATION = "population"


@dataclass(frozen=True, slots=True)
class Statement:
    """A source's value for a country and a relation, as its text has it."""

    source: str
    country: str
    """ISO code."""
    relation: Relation
    value: str


_RULES: Mapping[str, Mapping[Relation, str]] = {
    "restcountries": {
        Relation.CAPITAL: r"Capital: (.+?)\. Population",
        Relation.CURRENCY: r"They pay with the (.+?)\. Calling",
        Relation.CALLING_CODE: rf"Calling code of .+?: {_PLUS}",
        Relation.AREA: rf"has an area of {_NUMBER} square",
        Relation.POPULATION: rf"Population: {_NUMBER}\. ",
    },
    "geonames": {
        Relation.CAPITAL: r"capital is (.+?)\. \d",
        Relation.CURRENCY: r"The ([^.]+?) is the money of",
        Relation.CALLING_CODE: rf"phone code is {_PLUS}",
        Relation.AREA: rf"on {_NUMBER} km",
        Relation.POPULATION: rf"{_NUMBER} people live",
    },
    "icyrockcom": {Relation.CAPITAL: r"the capital city is (.+)\.$"},
    "lorey list-of-countries": {
        Relation.CAPITAL: r"^The capital of .+? is (.+?)\. It has",
        Relation.CURRENCY: r"people pay with the (.+?)\. The telephone",
        Relation.CALLING_CODE: rf"telephone code is {_PLUS}",
        Relation.AREA: rf"an area of {_NUMBER} square",
        Relation.POPULATION: rf"It has {_NUMBER} inhabitants",
    },
    "countryinfo": {
        Relation.CAPITAL: r"<p>.*?'s capital is (.+?)\.</p>",
        Relation.CALLING_CODE: rf"start with {_PLUS}",
        Relation.AREA: rf"has an area of {_NUMBER} km2",
        Relation.POPULATION: rf"About {_NUMBER} people",
    },
    "samayo country-json": {
        Relation.CAPITAL: r"(?m)^(.+) is the capital city of",
        Relation.CURRENCY: r"(?m)^Its currency is the (.+)\.$",
        Relation.CALLING_CODE: rf"calling code of .+? is {_PLUS}",
        Relation.AREA: rf"surface area of .+? is {_NUMBER} square",
        Relation.POPULATION: rf"has a population of {_NUMBER}\.$",
    },
    "mledoze": {
        Relation.CAPITAL: r"<p>The capital of .+? is (.+?)\.</p>",
        Relation.CURRENCY: r"<p>The currency in use is the (.+?)\.</p>",
        Relation.CALLING_CODE: rf"<p>To call .+?, dial {_PLUS}",
        Relation.AREA: rf"covers {_NUMBER} km",
    },
    "annexare": {
        Relation.CAPITAL: r"Its capital is (.+?)\. The phone",
        Relation.CURRENCY: r"uses ([A-Z]{3})\b",
        Relation.CALLING_CODE: rf"phone prefix of .+? is {_PLUS}",
    },
    f"{_FACTBOOK}2000": {
        Relation.CAPITAL: r"(?m)^Capital of .+?: (.+)$",
        Relation.CURRENCY: r"(?m)^Currency of .+?: (?:1 )?(.+?)(?: =|$)",
        Relation.AREA: rf"(?m)^Area of .+?: total ?: {_NUMBER} sq km",
        Relation.POPULATION: rf"(?m)^Population of .+?: {_NUMBER}\b",
    },
    f"{_FACTBOOK}2012": {
        Relation.CAPITAL: r"(?m)^Capital of .+?: (?:name: )?(.+)$",
        Relation.AREA: rf"(?m)^Area of .+?: total ?: {_NUMBER} sq km",
        Relation.POPULATION: rf"(?m)^Population of .+?: {_NUMBER}\b",
    },
    f"{_FACTBOOK}2026": {
        Relation.CAPITAL: r"(?m)^Capital of .+?: (?:name: )?(.+)$",
        Relation.CURRENCY: r"(?m)^Exchange rates of .+?: Currency: (.+?) per US dollar",
        Relation.AREA: rf"(?m)^Area of .+?: total ?: {_NUMBER} sq km",
        Relation.POPULATION: rf"(?m)^Population of .+?: (?:total: )?{_NUMBER}\b",
    },
}


def statements(source: str, country: str, content: str) -> Iterator[Statement]:
    """What a document states about its country, at most one value a relation."""
    for relation, rule in _RULES[source].items():
        match = re.search(rule, content)
        value = _cleaned(match[1], relation) if match else ""
        if value:
            yield Statement(source, country, relation, value)


def _cleaned(value: str, relation: Relation) -> str:
    """The value without notes; in brackets a currency of the Factbook has its code, which stays."""
    value = html.unescape(value).strip()
    if relation is Relation.CAPITAL:
        return _BEHIND.split(value)[0].strip()
    return value.rstrip(".,")
