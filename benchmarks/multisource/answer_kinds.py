"""Kinds of answers, and wrong answers of the same kind: numbers, dates, names, phrases."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from answering.equivalence import answer_key, ordinal_text, parse_value
from answering.text import tokenize, word_set
from benchmarks.multisource.traces import content_stems

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
CARDINALS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ROUNDS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_FAMILIES = (MONTHS, CARDINALS, ROUNDS, ORDINALS)
_FAMILY_OF = {word.lower(): family for family in _FAMILIES for word in family} | {"one": CARDINALS}

_NUMBER = re.compile(
    r"(?P<ordinal>\d+)(?=(?P<suffix>st|nd|rd|th)\b)(?P=suffix)"
    r"|(?<![\d.,])(?P<year>1\d{3}|20\d\d)(?P<decade>s)?(?![\d,.]*\d)"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"|(?P<word>[A-Za-z]+)"
)
_ASKS = (
    ("who", re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)),
    (
        "where",
        re.compile(r"\b(?:where|wh(?:at|ich) (?:city|country|state|town|place|region|county|river))\b", re.IGNORECASE),
    ),
)
_PLURAL = re.compile(r"[^s'’]s$")  # noqa: RUF001  (an apostrophe as people set it)
_DETERMINERS = frozenset(("a", "an", "the"))
_OPENINGS = word_set(
    "to by in on at of for from with within without before after during through under over as because if when while "
    "that be being not it they he she his her their its was were is are had has have more less into upon via how break "
    "gets itself well destroyed regenerate risen suspected"
)
_LISTS = re.compile(r"[,;:!?\[\](){}]\s|[\[\]]|[.!?]\s[A-Z][a-z]+\s[a-z]|\b(?i:or|and)\b")
_DRAWS = 200
LONGEST_ANSWER = 5  # words
LONGEST_CODED = 3


def kind_of(question: str, answer: str) -> str:
    """The kind of an answer to a question, as a name; answers of one kind are interchangeable."""
    value = parse_value(answer)
    if value is not None:
        return f"{value.kind}:{_shape(answer)}"
    if any(map(str.isdigit, answer)) or any(month in answer.split() for month in MONTHS):
        return f"coded:{_shape(answer)}"
    words = answer.split()
    count = min(len(words), 3)
    if all(word[:1].isupper() for word in words if len(word) > 3) and answer[:1].isupper():
        asked = next((name for name, pattern in _ASKS if pattern.search(question)), "what")
        return f"name:{asked}:{count}"
    return f"phrase:{'many' if re.search(_PLURAL, answer) else 'one'}:{words[0].lower() in _DETERMINERS}:{count}"


def is_definite(answer: str) -> bool:
    """Whether an answer is a value, a name or a plain noun phrase: nothing that opens with a preposition or lists."""
    if len(answer.split()) > LONGEST_ANSWER or not tokenize(answer):
        return False
    if parse_value(answer) is not None:
        return True
    if _LISTS.search(answer):
        return False
    if any(map(str.isdigit, answer)):
        return len(answer.split()) <= LONGEST_CODED
    return answer.split(maxsplit=1)[0].lower() not in _OPENINGS


def is_spoken_as_value(kind: str) -> bool:
    """Whether wrong answers of this kind are drawn anew; for other kinds answers to other questions are taken."""
    return not kind.startswith(("name:", "phrase:"))


def _shape(answer: str) -> str:
    """The answer with a sign for each number, month and number word: the part that redrawing keeps."""
    return _NUMBER.sub(_sign, answer)


def _sign(match: re.Match[str]) -> str:
    word = match["word"]
    if word is None:
        return "#" if match["decade"] is None else "#s"
    family = _FAMILY_OF.get(word.lower())
    return word.lower() if family is None else f"<{family[0].lower()}>"


def redrawn(answer: str, random: Random) -> str:
    """The answer with every number, year, month and number word drawn anew in the same form."""
    return _NUMBER.sub(lambda match: _redrawn(match, answer, random), answer)


def _redrawn(match: re.Match[str], answer: str, random: Random) -> str:
    if match["ordinal"] is not None:
        return ordinal_text(random.randint(2, 31) if int(match["ordinal"]) < 32 else random.randint(32, 99))
    if match["year"] is not None:
        return _year(int(match["year"]), match["decade"] or "", random)
    if match["number"] is not None:
        return _day(random) if _is_day(match["number"], answer) else _digits(match["number"], random)
    family = _FAMILY_OF.get(match["word"].lower())
    return match["word"] if family is None else _cased(random.choice(family), match["word"])


def _year(year: int, decade: str, random: Random) -> str:
    drawn = min(year + random.choice((-1, 1)) * random.randint(2, 60), 2015 - random.randint(0, 30))
    return f"{drawn // 10 * 10}s" if decade else str(max(drawn, 1000))


def _is_day(number: str, answer: str) -> bool:
    return number.isdigit() and int(number) < 32 and any(month in answer for month in MONTHS)


def _day(random: Random) -> str:
    return str(random.randint(1, 28))


def _digits(number: str, random: Random) -> str:
    """A number of as many digits, with as many zeros at the end."""
    figures = [index for index, character in enumerate(number) if character.isdigit()]
    zeros = len(number.rstrip("0,")) if "." not in number else len(number)
    lowest = 2 if len(figures) == 1 else 1
    return "".join(
        str(random.randint(lowest if index in {figures[0], min(zeros, len(number)) - 1} else 0, 9))
        if index in figures and index < max(zeros, 1)
        else character
        for index, character in enumerate(number)
    )


def _cased(word: str, like: str) -> str:
    return word.capitalize() if like[:1].isupper() else word.lower()


class WrongAnswers:
    """Invents wrong answers; names and phrases are answers to other questions of the same kind."""

    def __init__(self, answered: Iterable[tuple[str, str]]) -> None:
        by_kind: dict[str, set[str]] = defaultdict(set)
        for question, answer in answered:
            by_kind[kind_of(question, answer)].add(answer.strip(' ."“”'))
        self._by_kind: Mapping[str, Sequence[str]] = {kind: sorted(answers) for kind, answers in by_kind.items()}

    def draw(self, question: str, golds: Sequence[str], avoid: str, count: int, random: Random) -> tuple[str, ...]:
        """Distinct wrong answers of the kind of `golds[0]` that `avoid` does not contain.

        Fewer where there are not as many.
        """
        kind = kind_of(question, golds[0])
        draw = self._drawer(kind, golds[0], random)
        keys = {answer_key(gold) for gold in golds}
        forbidden = content_stems([*golds, question])
        seen = frozenset(tokenize(avoid))
        drawn: list[str] = []
        for candidate in draw():
            key = answer_key(candidate)
            if key in keys or kind_of(question, candidate) != kind:
                continue
            if not is_spoken_as_value(kind) and _known(candidate, forbidden, seen):
                continue
            keys.add(key)
            drawn.append(candidate)
            if len(drawn) == count:
                break
        return tuple(drawn)

    def _drawer(self, kind: str, answer: str, random: Random) -> Callable[[], Iterable[str]]:
        if is_spoken_as_value(kind):
            return lambda: (redrawn(answer, random) for _ in range(_DRAWS))
        others = self._by_kind.get(kind, ())
        return lambda: random.sample(others, len(others))


def _known(candidate: str, forbidden: frozenset[str], seen: frozenset[str]) -> bool:
    """Whether a candidate shares a word with a right answer or the question, or stands in the text to avoid."""
    return bool(content_stems([candidate]) & forbidden) or seen.issuperset(tokenize(candidate))
