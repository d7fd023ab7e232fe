"""Which statements about countries are right: capitals by given answers and agreement, others by agreement."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from statistics import median

from benchmarks.subjects.statements import Relation, Statement

# Right is what at least two sources name, and this share of all that name any: fewer name what was right before.
LEAST_SOURCES, LEAST_SHARE = 2, 0.25
# Areas differ by the waters that count, populations by the year; further from the median is taken as wrong, of
# populations unless it is near that of the newest source.
TOLERANCES = {Relation.AREA: 0.05, Relation.POPULATION: 0.25}
NEWEST_POPULATIONS = "CIA World Factbook 2026"
ALMOST_EQUAL = 0.7
# Below this, in square kilometres or inhabitants, rounding to a whole number alone exceeds the tolerance.
SMALLEST = 1.0
# Spellings of single sources: the names that the places have in their own languages, or had before.
OTHER_SPELLINGS: Mapping[str, Sequence[str]] = {
    "AT": ("Wien",),
    "BE": ("Bruxelles",),
    "CL": ("Santiago de Chile",),
    "CN": ("Peking",),
    "CZ": ("Praha",),
    "DZ": ("Alger",),
    "ET": ("Addis Abeba",),
    "GT": ("Guatemala", "Ciudad de Guatemala"),
    "IT": ("Roma",),
    "KW": ("Kuwait",),
    "LK": (
        "Sri Jayewardenepura Kotte",
        "Sri Jayawardenepura Kotte",
        "Sri Jayawardenapura Kotte",
        "Colombo, Sri Jayawardenepura Kotte",
    ),
    "MC": ("Monaco-Ville",),
    "MH": ("Dalap-Uliga-Darrit",),
    "MX": ("Mexico", "Ciudad de Mexico"),
    "OM": ("Masqat",),
    "PL": ("Warszawa",),
    "SD": ("Khartum",),
    "VA": ("Vatican City State",),
}


def normalised(name: str) -> str:
    """A name without case, marks, punctuation, blanks and what stands in brackets, so that spellings compare.

    >>> normalised("Nuku'alofa") == normalised("nukualofa (city)")
    True
    """
    plain = unicodedata.normalize("NFKD", re.sub(r"\(.*?\)|\[.*?\]", "", name)).casefold()
    return "".join(character for character in plain if character.isalnum() and not _is_modifier(character))


def _is_modifier(character: str) -> bool:
    return unicodedata.category(character) == "Lm"


def capitals(statements: Iterable[Statement], given: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """By country the spellings of its capital: those given, those that sources agree on, those of our list."""
    spellings: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for statement in statements:
        if statement.relation is Relation.CAPITAL:
            spellings[statement.country][normalised(statement.value)].append(statement.value)
    golds = {}
    for country, by_name in spellings.items():
        total = sum(map(len, by_name.values()))
        agreed = [spelling for named in by_name.values() if _agreed(len(named), total) for spelling in named]
        golds[country] = tuple(dict.fromkeys([*given.get(country, ()), *agreed, *OTHER_SPELLINGS.get(country, ())]))
    return golds


def right_statements(statements: Sequence[Statement], golds: Mapping[str, Sequence[str]]) -> dict[Statement, bool]:
    """Of each statement whether it is right; left out are those that cannot be judged."""
    by_fact: defaultdict[tuple[str, Relation], list[Statement]] = defaultdict(list)
    for statement in statements:
        by_fact[statement.country, statement.relation].append(statement)
    judged: dict[Statement, bool] = {}
    for (country, relation), about in by_fact.items():
        if len(about) >= LEAST_SOURCES:
            verdicts = _verdicts(relation, about, golds[country])
            judged |= {statement: right for statement, right in zip(about, verdicts, strict=True) if right is not None}
    return judged


def _verdicts(relation: Relation, about: Sequence[Statement], golds: Sequence[str]) -> Sequence[bool | None]:
    values = [statement.value for statement in about]
    if relation is Relation.CAPITAL:
        return [is_named(value, golds) for value in values]
    if relation is Relation.CALLING_CODE:
        return _same_code(values)
    if relation is Relation.CURRENCY:
        return _same_currency(values)
    numbers = [float(value.replace(",", "")) for value in values]
    newest = [
        number for statement, number in zip(about, numbers, strict=True) if statement.source == NEWEST_POPULATIONS
    ]
    middles = [median(numbers), *(newest if relation is Relation.POPULATION else ())]
    return [any(_near(number, middle, TOLERANCES[relation]) for middle in middles) for number in numbers]


def is_named(answer: str, golds: Iterable[str]) -> bool:
    """Whether an answer is one of the spellings, with or without an article or "city" in front of or behind it."""
    name = normalised(answer)
    return any(name == gold or name in {f"the{gold}", f"cityof{gold}"} for gold in map(normalised, golds))


def _near(number: float, middle: float, tolerance: float) -> bool:
    return abs(number - middle) <= max(tolerance * middle, SMALLEST)


def _same_code(values: Sequence[str]) -> list[bool]:
    """Equal to the most common code, or its beginning: +1 is right where most say +1 246."""
    codes = [re.sub(r"\D", "", value) for value in values]
    ((common, _),) = Counter(codes).most_common(1)
    return [common.startswith(code) for code in codes]


def _same_currency(values: Sequence[str]) -> list[bool | None]:
    """Whether a word of a name is spelled almost as a kind of money that sources agree on ("koruny" as "koruna").

    A code is right if the Factbook gives it too, and else not judged.
    """
    codes = {match[1] for value in values if (match := re.search(r"\(([A-Z]{3})\)", value))}
    words = [_words(value) for value in values]
    kinds = Counter(of_value[-1] for of_value in words if of_value)
    agreed = [kind for kind, count in kinds.items() if _agreed(count, kinds.total())]
    return [
        any(SequenceMatcher(None, word, kind).ratio() >= ALMOST_EQUAL for word in of_value for kind in agreed)
        if of_value
        else (True if value in codes else None)
        for value, of_value in zip(values, words, strict=True)
    ]


def _agreed(count: int, total: int) -> bool:
    return count >= LEAST_SOURCES and count >= LEAST_SHARE * total


def _words(currency: str) -> list[str]:
    """The words of a currency's name without marks, none for a code.

    >>> _words("Costa Rican colones (CRC)"), _words("EUR")
    (['costa', 'rican', 'colones'], [])
    """
    if re.fullmatch(r"[A-Z]{3}", currency):
        return []
    words = re.sub(r"\(.*?\)|,.*", "", currency).split()
    return [name for name in map(normalised, words) if name]
