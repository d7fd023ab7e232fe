"""Answer classes: answers that mean the same fall into one class, and a vote is for a class.

Three policies. EXACT compares normalised words; VALUES also what numbers, dates and quantities mean; both give
every answer a key of its own, whatever else was answered. FUZZY merges classes of VALUES that are probably the
same (`answering.equivalence.similarity`); which those are depends on what else was answered. 1994 and 1995 never meet.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from answering.equivalence.clustering import merged
from answering.equivalence.lists import list_items
from answering.equivalence.similarity import MAX_FUZZY_CHARACTERS
from answering.equivalence.values import parse_value
from answering.equivalence.wording import counted_wording, exact_wording

MAX_KEY_CHARACTERS = 200
"""A longer key is cut and ends in a hash of the whole, so that it fits into a database index."""

MAX_FUZZY_ANSWERS = 1_000
"""Of more distinct answers, only the most frequent are merged by FUZZY."""

_HASH_CHARACTERS = 32


class ClassPolicy(StrEnum):
    """When two answers are the same."""

    EXACT = "exact"
    """The same normalised words."""
    VALUES = "values"
    """The same words or the same value: 1,000 and one thousand, 3 May 1874 and 1874-05-03, 42 m and 42 metres.

    Abbreviations and Roman numerals count as what they stand for, and a list as its items in any order.
    """
    FUZZY = "fuzzy"
    """Also probably the same: typing errors, initials, more or fewer words. Never other numbers or dates."""


@dataclass(frozen=True, slots=True)
class AnswerClass:
    """Answers that mean the same."""

    key: str
    """The canonical key of the representative."""
    representative: str
    """The most frequent spelling, of several the shortest, then the alphabetically first."""
    size: int
    """How many of the answers are in this class."""


@dataclass(frozen=True, slots=True)
class Classification:
    """The classes of some answers, the largest first."""

    classes: tuple[AnswerClass, ...]
    index: tuple[int, ...]
    """For every answer, in the order given, the place of its class in `classes`."""

    def class_of(self, position: int) -> AnswerClass:
        """The class of the answer at a position."""
        return self.classes[self.index[position]]


def answer_key(answer: str, policy: ClassPolicy = ClassPolicy.VALUES) -> str:
    """The canonical key of an answer: the same in every run and whatever else was answered.

    At most 200 characters, without control characters. FUZZY has no such key, so it gives that of VALUES.
    """
    text = _surface(answer)
    if policy is ClassPolicy.EXACT:
        return _bounded(f"text:{exact_wording(text)}")
    value = parse_value(text)
    if value:
        return _bounded(value.key)
    items = list_items(text)
    return _bounded(f"list:{'; '.join(items)}" if items else f"text:{counted_wording(text)}")


def classify(answers: Sequence[str], policy: ClassPolicy = ClassPolicy.VALUES) -> Classification:
    """Sort answers into classes; the classes don't depend on the order in which the answers come."""
    spellings = Counter(map(_surface, answers))
    key_of = {spelling: answer_key(spelling, policy) for spelling in spellings}
    by_key = _grouped(spellings, key_of)
    groups = _merge_similar(by_key) if policy is ClassPolicy.FUZZY else list(by_key.values())
    found = sorted(((_answer_class(group, key_of), group) for group in groups), key=lambda pair: _rank(pair[0]))
    place = {spelling: at for at, (_, group) in enumerate(found) for spelling in group}
    return Classification(tuple(pair[0] for pair in found), tuple(place[_surface(answer)] for answer in answers))


def representative(spellings: Iterable[str]) -> str:
    """The most frequent spelling, of several the shortest, then the alphabetically first."""
    counted = Counter(map(_surface, spellings))
    return _most_usual(counted)


def _surface(answer: str) -> str:
    return " ".join(answer.split())


def _most_usual(counted: Mapping[str, int]) -> str:
    return min(counted, key=lambda spelling: (-counted[spelling], len(spelling), spelling))


def _bounded(key: str) -> str:
    if len(key) <= MAX_KEY_CHARACTERS:
        return key
    digest = hashlib.sha256(key.encode()).hexdigest()[:_HASH_CHARACTERS]
    return f"{key[: MAX_KEY_CHARACTERS - _HASH_CHARACTERS - 1]}#{digest}"


def _grouped(spellings: Mapping[str, int], key_of: Mapping[str, str]) -> dict[str, Counter[str]]:
    groups: dict[str, Counter[str]] = {}
    for spelling, count in spellings.items():
        groups.setdefault(key_of[spelling], Counter())[spelling] = count
    return groups


def _answer_class(group: Counter[str], key_of: Mapping[str, str]) -> AnswerClass:
    usual = _most_usual(group)
    return AnswerClass(key_of[usual], usual, group.total())


def _rank(found: AnswerClass) -> tuple[int, str]:
    return -found.size, found.key


def _merge_similar(by_key: Mapping[str, Counter[str]]) -> list[Counter[str]]:
    """Merge groups that probably mean the same, if they are not too long or too rare to be compared."""
    keys = sorted(by_key, key=lambda key: (-by_key[key].total(), key))
    usual = {key: _most_usual(by_key[key]) for key in keys}
    compared = [key for key in keys if len(usual[key]) <= MAX_FUZZY_CHARACTERS][:MAX_FUZZY_ANSWERS]
    groups = merged({key: usual[key] for key in compared})
    alone = [[key] for key in usual.keys() - set(compared)]
    return [sum((by_key[key] for key in members), Counter()) for members in [*groups, *alone]]
