"""Numbers with all that belongs to them: $12.2 becomes $12.2 billion, and 2 in 4.2 km becomes 4.2 km. English."""

import re
from itertools import pairwise

from answering.equivalence import find_unit
from answering.equivalence.values.number_words import MULTIPLIERS
from answering.equivalence.values.units import CURRENCY_SIGNS, Unit
from answering.questions.answer_type import FUNCTION_WORDS, AnswerType

_MOST_UNIT_WORDS = 3
_BEFORE_UNIT = " -\t\n"
_DIGITS_BEFORE = re.compile(r"(?:(?:US|A|C|NZ|HK)?[$€£¥₹]\s?)?(?:\d[\d.,]*)?$")
_DIGITS_BEHIND = re.compile(r"(?:[.,]?\d)*")
_SCALES = "|".join(sorted(MULTIPLIERS))
_SCALE = re.compile(rf"(?:\s|-)?(?:(?:{_SCALES})s?|(?<=\d)(?:bn|mn|m|k|tn))\b(?!-)", re.IGNORECASE)
_PERCENT = re.compile(r"\s?(?:%|‰|per ?cent\b|percentage points?\b)", re.IGNORECASE)
_WORD = re.compile(r"[\s-]?([^\W\d][\w/²³°]*|°\w?)")
_SMALL_WORD = re.compile(r"(?:la|le|de|del|da|di|do|dos|el|al|of|van|von|y)\s+[A-Z]")
# Pico da Neblina.
_REST_OF_NAME = re.compile(r"(?: (?:da|das|de|del|della|di|do|dos|du|des|la|el|bin|ibn|von|van))+ [A-Z][\w'\u2019-]*")
_HEIGHT_ASKED = re.compile(
    r"\b(?:highest|lowest|tallest) (?:[\w-]+ )?(?:point|mountain|peak|volcano|lake)\b", re.IGNORECASE
)
_HEIGHT = re.compile(r"(?<=[^\W\d]) [-\u2212]?\d[\d.,]*(?:\s?(?:m|met(?:er|re)s?|ft|feet))?$")
_CAPITALISED_BEFORE = re.compile(r"[A-Z][\w'\u2019-]*\s$")
_LABEL = re.compile(r"(?:[a-z][\w'-]* ){0,2}[a-z][\w'-]*:\s+(?=\S)")
# Minsk geographic coordinates: 53 54 N; +213. Region: Northern Africa.
_NEXT_LABEL = re.compile(
    r"(?:(?P<value>(?<!\w)[^\sa-z]\S*)\s[a-z][\w'-]*|[.;]\s[^\W\d][\w'-]*)(?: [a-z][\w'-]*){0,2}:\s(?=\S)"
)
_NUMBER_END = re.compile(rf"(?:\d|\b(?:{_SCALES})s?)$", re.IGNORECASE)


def whole_measure(passage: str, start: int, end: int, question: str, expected: AnswerType) -> tuple[int, int]:
    """The characters [start, end), extended to the whole number with its sign, scale and percent sign.

    A question for a quantity gets the unit too, unless it names it itself: how large, in acres.
    """
    if passage[start : start + 1].isdigit():
        start -= len(_matched(_DIGITS_BEFORE.search(passage[max(start - 16, 0) : start])))
    if passage[end - 1 : end].isdigit():
        end += len(_matched(_DIGITS_BEHIND.match(passage, end)))
    if not _NUMBER_END.search(passage[start:end]):
        return start, end
    end += len(_matched(_SCALE.match(passage, end)))
    percent = _matched(_PERCENT.match(passage, end))
    if percent or expected is not AnswerType.QUANTITY:
        return start, end + len(percent)
    behind = _end_of_unit(passage, end)
    asked = find_unit(passage[end:behind].strip(_BEFORE_UNIT)) if behind > end else None
    named = asked in _named_units(question) or passage[start] in CURRENCY_SIGNS
    return start, end if named else behind


def whole_name(passage: str, start: int) -> int:
    """The beginning of a name of which [start, ...) begins with a small word: la Vella becomes Andorra la Vella."""
    before = _CAPITALISED_BEFORE.search(passage[:start]) if _SMALL_WORD.match(passage, start) else None
    return before.start() if before else start


def end_of_name(question: str, passage: str, start: int, end: int) -> int:
    """The end of a name of which [start, end) is the first word, and the question has not the last: Pico becomes Pico
    da Neblina.
    """
    is_word = passage[start : start + 1].isupper() and " " not in passage[start:end]
    rest = _REST_OF_NAME.match(passage, end) if is_word else None
    return rest.end() if rest and rest[0].split()[-1] not in question else end


def without_height(question: str, passage: str, start: int, end: int) -> int:
    """The end of the name of a mountain or lake without the metres behind it.

    >>> without_height("What is the highest point of Esk?", "Mount Lund 2,670 m", 0, 16)
    10
    """
    height = _HEIGHT.search(passage[start:end]) if _HEIGHT_ASKED.search(question) else None
    return start + height.start() if height else end


def behind_question(passage: str, start: int, end: int) -> tuple[int, int]:
    """The characters [start, end) without a question in them that the rest answers.

    >>> behind_question("How much was it? It was 20 pounds.", 13, 26)
    (17, 26)
    """
    mark = passage.rfind("?", start, end)
    rest = passage[mark + 1 : end].strip() if mark >= 0 else ""
    return (end - len(rest), end) if rest else (start, end)


def behind_label(passage: str, start: int, end: int) -> tuple[int, int]:
    """The characters [start, end) without a label in small letters before the rest.

    >>> behind_label("Capital of Kenya: name: Nairobi", 18, 31)
    (24, 31)
    """
    label = _LABEL.match(passage, start, end)
    return (label.end(), end) if label else (start, end)


def before_label(passage: str, start: int, end: int) -> tuple[int, int]:
    """The characters [start, end) of a value behind a label, without that of the next one. Of 94,241 right answers of
    the sets to train on it shortens five.

    >>> before_label("name: Minsk geographic coordinates: 53 54 N", 6, 22)
    (6, 11)
    """
    label = _NEXT_LABEL.search(passage, start) if passage[:start].rstrip().endswith(":") else None
    ends = max(label.start(), label.end("value")) if label else end
    return (start, ends) if start < ends < end else (start, end)


def without_half_brackets(passage: str, start: int, end: int) -> tuple[int, int]:
    """The characters [start, end) without a bracket at either end that has no other half in them, and with the other
    half behind them of one within.

    >>> without_half_brackets("the GDP (purchasing power parity) is", 9, 33)
    (9, 32)
    >>> without_half_brackets("above 101 °F (38.3 °C) or so", 6, 21)
    (6, 22)
    """
    for opening, closing in ("()", "[]"):
        surplus = passage.count(opening, start, end) - passage.count(closing, start, end)
        if surplus < 0 and passage[end - 1 : end] == closing:
            end -= 1
        if surplus > 0 and passage[start : start + 1] == opening:
            start += 1
        elif surplus > 0 and passage[end : end + 1] == closing:
            end += 1
    return start, end


def _end_of_unit(passage: str, end: int) -> int:
    """The end of the longest known unit after a number."""
    ends, at = [end], end
    for _ in range(_MOST_UNIT_WORDS):
        word = _WORD.match(passage, at)
        if word is None:
            break
        at = word.end()
        if word[1] not in FUNCTION_WORDS and find_unit(passage[end:at].strip(_BEFORE_UNIT)) is not None:
            ends.append(at)
    return ends[-1]


def _named_units(question: str) -> set[Unit | None]:
    words = re.findall(r"[\w/]+", question)
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return {find_unit(name) for name in (*words, *pairs) if name not in FUNCTION_WORDS}


def _matched(match: re.Match[str] | None) -> str:
    return match[0] if match else ""
