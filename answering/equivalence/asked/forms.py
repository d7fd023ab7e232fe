"""Answers in the form that the question asks for: without a label before a colon that they repeat (`name: Santiago`),
the year of a date, a number with the unit that the question names or that a population has, a place without its
height or depth, and a city without its state or country.
"""

from functools import lru_cache

import regex

from answering.equivalence.abbreviations import US_STATES, regions
from answering.equivalence.normalisation import canonical_text
from answering.equivalence.values import find_unit
from answering.equivalence.values.parsing import parse_value
from answering.equivalence.values.quantities import PERSONS
from answering.equivalence.values.value import ValueKind
from answering.text import fold, tokenize, word_set

# How many square kilometres are protected? What is its height in metres?
_COUNTED = regex.compile(r"\bhow (?:many|much) (?P<words>.+)", regex.IGNORECASE)
_IN_UNITS = regex.compile(r"\bin (?P<words>[^\s?]+(?: [^\s?]+){0,2})\s*\??$", regex.IGNORECASE)
_POPULATION = regex.compile(r"\bpopulation(?: of\b|\s*\?|$)", regex.IGNORECASE)
_MOST_WORDS = 3
# Symbols of units that a question has as words.
_NO_UNITS = frozenset({"a", "as", "at", "in"})


def with_asked_unit(answer: str, question: str) -> str:
    """The answer, and behind a bare number the unit that the question asks for.

    >>> with_asked_unit("320", "How many tonnes can it lift?"), with_asked_unit("320 t", "How many tonnes can it lift?")
    ('320 tonnes', '320 t')
    >>> with_asked_unit("1931", "When was the 320 tonne crane built?")
    '1931'
    """
    unit = asked_unit(question)
    value = parse_value(answer) if unit else None
    return f"{answer} {unit}" if value is not None and value.kind is ValueKind.NUMBER else answer


@lru_cache(maxsize=1_000)
def asked_unit(question: str) -> str | None:
    """The unit of the number that a question asks for, in its words, people for a population; None if it names none.

    >>> asked_unit("How many square kilometres are protected?"), asked_unit("How tall is the tower, in feet?")
    ('square kilometres', 'feet')
    >>> asked_unit("What is the population of Mongolia?")
    'people'
    >>> asked_unit("How many members are there?") is None
    True
    """
    for pattern in (_COUNTED, _IN_UNITS):
        match = pattern.search(" ".join(question.split()))
        words = match["words"].rstrip(" ?").split()[:_MOST_WORDS] if match else []
        for end in range(len(words), 0, -1):
            unit = " ".join(words[:end])
            if unit.casefold() in PERSONS or (unit not in _NO_UNITS and find_unit(unit) is not None):
                return unit
    return "people" if _POPULATION.search(question) else None


_ASKED = regex.compile(r"\b(?:what|which)\s(?:\p{L}+\s)?year\b", regex.IGNORECASE)
_DATED = regex.compile(r"(?P<year>\d{4})-\d\d(?:-\d\d)?", regex.ASCII)


def as_year(answer: str, question: str) -> str:
    """The year of a date or month, if the question asks for a year.

    >>> as_year("12 December 1963", "In which year did Kenya become independent?")
    '1963'
    >>> as_year("12 December 1963", "When did Kenya become independent?")
    '12 December 1963'
    """
    value = parse_value(answer) if _asks_for_a_year(question) else None
    match = _DATED.fullmatch(value.text) if value is not None and value.kind is ValueKind.DATE else None
    return match["year"] if match else answer


@lru_cache(maxsize=1_000)
def _asks_for_a_year(question: str) -> bool:
    return bool(_ASKED.search(question))


MAX_LABEL_CHARACTERS = 80
"""A longer beginning is a sentence."""

MAX_ANSWER_CHARACTERS = 1_000
"""A longer answer is a text, in which a label would be looked for behind every colon."""

# The last colon with a space behind it: 3:15 and 2:1 have none.
_LABELLED = regex.compile(r"(?:.*[:.;]\s++)??(?P<label>[^:.;]+):\s++(?P<value>[^:]*\w[^:]*)", regex.DOTALL)
# Names of fields that say nothing of the value. Unlike `land` or `female`, which tell which part of it is meant.
_FIELDS = word_set("name total answer value amount number date")
_FUNCTION_WORDS = word_set("a an the of in for and to by on at is")


def without_label(answer: str, question: str) -> str:
    """The text after the last label, if it names a field or repeats words of the question.

    >>> without_label("Exchange rates: Currency: Maltese liri", "What is the currency of Malta?")
    'Maltese liri'
    >>> without_label("land: 82,445 sq km", "How large is Austria?")
    'land: 82,445 sq km'
    """
    match = _LABELLED.fullmatch(answer) if len(answer) <= MAX_ANSWER_CHARACTERS else None
    if match is None or len(match["label"]) > MAX_LABEL_CHARACTERS:
        return answer
    words = frozenset(tokenize(fold(match["label"]))) - _FUNCTION_WORDS
    is_field = len(words) == 1 and words <= _FIELDS and match["label"].strip().islower()
    return match["value"] if is_field or (words and words <= frozenset(tokenize(fold(question)))) else answer


_EXTREME_ASKED = regex.compile(r"\b(?:what|which)\b.*\b(?:high|low|tall|deep|long|larg|bigg)est\b", regex.IGNORECASE)
_SIZE_ASKED = regex.compile(r"\b(?:how|height|elevation|depth|length|size|area)\b", regex.IGNORECASE)
_WITH_MEASURE = regex.compile(
    r"(?P<name>\p{Lu}[\p{L}\p{M} '\u2019-]*\p{L}),?\s++\(?(?:[-\u2212]\d[\d.,]*+|\d[\d.,]*+(?=\s*[mkf]))"
    r"\s*+(?:m|km|ft|met(?:er|re)s?|kilomet(?:er|re)s?|feet)?\)?"
)


def without_measure(answer: str, question: str) -> str:
    """The name without the height, depth or length behind it, if the question asks which is the highest or the like.

    >>> without_measure("Danakil Depression -125 m", "What is the lowest point in Ethiopia?")
    'Danakil Depression'
    >>> without_measure("Danakil Depression -125 m", "What is the elevation of the lowest point in Ethiopia?")
    'Danakil Depression -125 m'
    """
    match = _WITH_MEASURE.fullmatch(answer.strip()) if _asks_for_an_extreme(question) else None
    return match["name"] if match else answer


@lru_cache(maxsize=1_000)
def _asks_for_an_extreme(question: str) -> bool:
    return bool(_EXTREME_ASKED.search(question)) and not _SIZE_ASKED.search(question)


_CITY_ASKED = regex.compile(r"\b(?:(?:which|what)\s(?:\S+\s){0,2}?(?:city|town|village)|capital)\b", regex.IGNORECASE)
_WIDER_ASKED = regex.compile(r"\b(?:state|country|county|province|region)\b", regex.IGNORECASE)
_IN_REGION = regex.compile(r"(?P<city>[^,()]*\p{L}[^,()]*?)\s*+(?:,(?P<regions>[^()]++)|\((?P<regions>[^()]++)\))")


def without_region(answer: str, question: str) -> str:
    """The city without the state or country behind it, if the question asks for a city and for nothing wider.

    Cities of one name in two states are then one answer, too.

    >>> without_region("Lincoln, NE, USA", "Which city hosted the fair?")
    'Lincoln'
    >>> without_region("Lincoln, Nebraska", "Which city and state hosted the fair?")
    'Lincoln, Nebraska'
    """
    match = _IN_REGION.fullmatch(answer.strip()) if _asks_for_a_city(question) else None
    return match["city"] if match and all(map(_is_region, match["regions"].split(","))) else answer


@lru_cache(maxsize=1_000)
def _asks_for_a_city(question: str) -> bool:
    return bool(_CITY_ASKED.search(question)) and not _WIDER_ASKED.search(question)


def _is_region(name: str) -> bool:
    return name.strip() in US_STATES or canonical_text(name) in regions()
