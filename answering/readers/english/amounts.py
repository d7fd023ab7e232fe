"""Whether a span may be the number that a question asks for: how many, how much, how long, how often. English."""

import re
from dataclasses import dataclass

from answering.equivalence import find_unit
from answering.equivalence.values.number_words import CARDINAL_WORDS, ORDINAL_WORDS
from answering.equivalence.values.units import Unit
from answering.readers.english.shares import is_share_of_list
from answering.text import word_set

_NUMBERS = CARDINAL_WORDS | word_set(
    """half quarter third thirds quarters twice double triple both pair couple dozens hundreds thousands millions
    billions doubled tripled quadrupled halved
    once thrice none all several many few most majority minority zero single nil"""
)
# No survivors, every week.
_COUNTED = word_set("no every hourly daily weekly fortnightly monthly quarterly yearly annually never always seldom")
# Wash your hands for 20 seconds; not: twice in 24 hours, every 6 to 8 hours. None of 86 right answers of the training
# sets is a duration where it is asked how often.
_HOW_OFTEN = re.compile(r"\bhow often\b", re.IGNORECASE)
_DURATION = re.compile(r"\b(?:seconds|minutes|hours|days)$", re.IGNORECASE)
_REPEATED = re.compile(r"\b(?:every|each|per|once|twice|thrice|times?)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many (?P<noun>(?!in\b)[\w-]+)", re.IGNORECASE)
# 190 adults are no litres, 8 glasses a day no calories: of 272 right answers where it is asked how many of a unit three
# have none so near, and one has another's alone. Nor is a number of hours one of bones: none of 945.
_UNIT_WITHIN = 40
_HOW_MANY_ARE = re.compile(
    r"\bhow many (?P<noun>[a-z]+) (?:do|does|did|is|are|was|were|can|could|should|would|will|may|might|must|have|has"
    r"|had)\b",
    re.IGNORECASE,
)
_NUMBER_OF = re.compile(r"\d\s+(?P<noun>[a-z]{3,})")
_SYMBOL = re.compile(r"[°%$€£¥]")
# Within 48 hours of the first symptoms; one of 285 right answers stands so where it is asked how long.
_HOW_LONG = re.compile(r"\bhow long\b", re.IGNORECASE)
_DEADLINE = re.compile(r"\bwithin (?:\w+ ){0,2}$", re.IGNORECASE)
# Nor is 5 pm how long, none of 256 right answers, nor a number of less than four digits without a unit: four of 252.
_SHORT_NUMBER = re.compile(r"(?<!\d)(?<!\d,)\d{1,3}(?!,?\d)")
_CLOCK = re.compile(r"\d ?[ap]\.?m\b|o['\u2019]clock", re.IGNORECASE)
# COVID-19 is no count; of 1,849 right answers with a digit none is such a name.
_CODE = re.compile(r"[^\W\d_]-\d[\w-]*")
# Dial +65; the shares of a list of languages are no number of them either.
_DIALLED = re.compile(r"(?:dial )?\+\d")
_DIAL_CODE = re.compile(r"(?:dial )?\+\d{2}")
# The lowest point of a river, at 329 m, is no length of it: none of 256.
_LENGTH = re.compile(r"\bhow (?:long|wide)\b", re.IGNORECASE)
_POINT = re.compile(r"\b(?:lowest|highest) point:[^:;\n]*$", re.IGNORECASE)
# The rate of a currency is not only its name.
_RATE = re.compile(r"\b(?:what|which) (?:is|was|are|were) the (?:\w+ ){0,2}rates? (?:of|for|between)\b", re.IGNORECASE)
_SIZES = word_set("century centuries decade decades lifetime overnight life forever indefinitely same")
_ORDINAL = re.compile(r"\d+(st|nd|rd|th)", re.IGNORECASE)
_BEFORE_A_YEAR = re.compile(r"\b(in|since|by|until|till|year)\s*$", re.IGNORECASE)
_YEAR = re.compile(r"(1\d|20)\d\d")
# Population of Malta: 403,000; a population of about 403,000.
_BEFORE_INHABITANTS = re.compile(r"\bpopulation\b[^.;:\n]{0,25}(?: of| is| was|:)(?: [a-z]+){0,2}:?\s$", re.IGNORECASE)
# A share of it, which answers how many people now and then; none of 340 right answers is one where it is asked for so.
_POPULATION = re.compile(r"\bwhat(?:['\u2019]s| is| was) the (?:total )?population of\b", re.IGNORECASE)
_SHARE = re.compile(r"%|\bper ?c", re.IGNORECASE)
_INHABITANTS = re.compile(r" (?:inhabitants|people|residents)\b(?! (?:per|a|for each)\b)")
_DENSITY = re.compile(r"\bdensity\b", re.IGNORECASE)
_OF_A_RATE = re.compile(r"\b(?:density|growth|rate)\b", re.IGNORECASE)
_OF_PEOPLE = re.compile(
    r"\b(?:people|persons?|popul\w+|inhabitants?|residents?|citizens?|liv(?:e|es|ing)|men|women|children|who)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A span of a passage, and what it is to answer."""

    question: str
    answer: str
    words: list[str]
    """Words in lower case."""
    before: str
    """The passage before the answer."""
    passage: str

    @property
    def place(self) -> tuple[int, int]:
        """Its first character in the passage, and the one behind its last."""
        return len(self.before), len(self.before) + len(self.answer)

    @property
    def has_digit(self) -> bool:
        return any(map(str.isdigit, self.answer))

    @property
    def numbers(self) -> list[str]:
        words = re.findall(r"\w+", _CODE.sub(" ", self.answer).lower())
        return [word for word in words if any(map(str.isdigit, word)) or word in _NUMBERS]

    @property
    def near(self) -> str:
        """The answer with a few characters before it and what stands soon behind it."""
        return self.before[-len("US$ ") :] + self.passage[len(self.before) :][: len(self.answer) + _UNIT_WITHIN]

    @property
    def units(self) -> list[Unit]:
        """The units that stand in it or near it."""
        found = (find_unit(word) for word in re.findall(r"\w+", self.near) if word != "in")
        return [unit for unit in found if unit]

    @property
    def has_symbol(self) -> bool:
        """Whether the sign of a unit or a currency stands in it or near it."""
        return _SYMBOL.search(self.near) is not None

    @property
    def last_digit_on(self) -> str:
        """From its last digit to a word behind it; empty where it has none."""
        rest = re.search(r"\d\D*$", self.answer)
        return self.passage[len(self.before) + rest.start() :][:_UNIT_WITHIN] if rest else ""

    @property
    def is_year(self) -> bool:
        """Whether it is a year and not a number of the things that are counted."""
        year = _YEAR.fullmatch(self.answer) and _BEFORE_A_YEAR.search(self.before)
        return bool(year) and "year" not in self.question.lower()

    @property
    def is_other_population(self) -> bool:
        """Whether it is a number of inhabitants, and something else is asked for.

        Of 6,828 questions for a number (SQuAD, SQuADShifts, XQuAD, NQ, QAMR, HotpotQA) it hides one right answer.
        """
        behind = self.passage[len(self.before) + len(self.answer) :]
        if _DENSITY.search(self.question) and _INHABITANTS.match(behind):
            return True
        asks = _OF_PEOPLE.search(self.question) and not _OF_A_RATE.search(self.question)
        return _BEFORE_INHABITANTS.search(self.before) is not None and not asks


def is_count(span: Span) -> bool:
    """Whether it may be a number of what is counted: no year, no population of something else, no number of a unit."""
    numbers = [word for word in span.numbers if not _ORDINAL.fullmatch(word) and word not in ORDINAL_WORDS]
    if _POPULATION.search(span.question) and _SHARE.search(span.passage[len(span.before) :][: len(span.answer) + 2]):
        return False
    if _HOW_OFTEN.search(span.question) and _DURATION.search(span.answer):
        return _REPEATED.search(span.before[-len("every ") :] + span.answer) is not None
    if _HOW_MANY.search(span.question) and (
        is_share_of_list(span.passage, len(span.before)) or _DIALLED.match(span.answer)
    ):
        return False
    counted = bool(numbers) or not _COUNTED.isdisjoint(span.words)
    return counted and not span.is_year and not span.is_other_population and not _is_of_unit(span)


def _is_of_unit(span: Span) -> bool:
    """Whether it is a number of a unit, and it is asked how many of something else there are."""
    asked = _HOW_MANY_ARE.search(span.question)
    counted = _NUMBER_OF.match(span.last_digit_on)
    if asked is None or counted is None or find_unit(asked["noun"]) is not None:
        return False
    return find_unit(counted["noun"]) is not None


def _has_unit(span: Span) -> bool:
    """Whether a unit stands in it or soon behind it, if it is asked how many of a unit."""
    asked = _HOW_MANY.search(span.question)
    unit = asked and find_unit(asked["noun"])
    return unit is None or any(each.dimension == unit.dimension for each in span.units) or span.has_symbol


def is_quantity(span: Span) -> bool:
    """Whether it may be a size, a duration or an amount, in the unit that is asked for if one is."""
    if _HOW_LONG.search(span.question) and (_DEADLINE.search(span.before) or _CLOCK.search(span.answer)):
        return False
    if _HOW_LONG.search(span.question) and _SHORT_NUMBER.search(span.answer) and not span.units:
        return False
    if _LENGTH.search(span.question) and _POINT.search(span.before):
        return False
    if _DIAL_CODE.match(span.answer) and not span.units and not span.has_symbol:
        return False
    if _RATE.search(span.question) and not span.numbers:
        return False
    measured = (word in _SIZES or (len(word) > 2 and find_unit(word) is not None) for word in span.words)
    measures = bool(span.numbers) or any(measured)
    return measures and not span.is_year and not span.is_other_population and _has_unit(span)
