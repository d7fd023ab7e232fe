"""Answer classes and the policies that say when two answers are the same: a vote is for a class."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from answering.enums import ClassPolicy
from answering.equivalence.asked import as_asked, without_asked_names
from answering.equivalence.function_words import without_function_words
from answering.equivalence.lists import list_items
from answering.equivalence.normalisation import canonical_text, normalised_text
from answering.equivalence.rounding import joined_keys
from answering.equivalence.spelling import without_diacritics
from answering.equivalence.values import parse_value

MAX_KEY_CHARACTERS = 200
"""Longer keys are cut and end in a hash of the whole, so that they fit into a database index."""

MAX_JOINED_CHARACTERS = 300
"""Longer answers are compared by their keys alone."""

MAX_JOINED_ANSWERS = 1_000
"""Most distinct answers that are joined, the most frequent ones."""

JoinKeys: TypeAlias = Callable[[Mapping[str, Sequence[str]]], list[list[str]]]
"""Sorts keys into classes by their spellings, of each the most frequent first."""

_HASH_CHARACTERS = 32


@dataclass(frozen=True, slots=True)
class PolicyRules:
    key: Callable[[str, str | None], str]
    """The key of an answer to a question, if that is known; answers of equal keys are the same."""
    join: JoinKeys | None = None


def word_key(answer: str, _question: str | None = None) -> str:
    """`text:` and the normalised words."""
    return f"text:{normalised_text(answer)}"


def value_key(answer: str, question: str | None = None) -> str:
    """The key of the answer's value; else `list:` and the sorted items; else `text:` and the canonical text."""
    asked = answer if question is None else as_asked(without_function_words(answer, question), question)
    value = parse_value(asked)
    if value:
        return value.key
    items = list_items(asked)
    if items:
        return f"list:{'; '.join(sorted(map(without_diacritics, items)))}"
    text = without_diacritics(canonical_text(asked))
    return f"text:{text if question is None else without_asked_names(text, question)}"


RULES: Mapping[ClassPolicy, PolicyRules] = {
    ClassPolicy.EXACT: PolicyRules(word_key),
    ClassPolicy.VALUES: PolicyRules(value_key),
    ClassPolicy.ROUNDED: PolicyRules(value_key, joined_keys),
}


@dataclass(frozen=True, slots=True)
class AnswerClass:
    """Answers that mean the same.

    >>> classify(["42 m", "42 metres", "42 m"]).classes
    (AnswerClass(key='quantity:42 m', representative='42 m', size=3),)
    """

    key: str
    representative: str
    """The most frequent spelling, of several the shortest, then the alphabetically first."""
    size: int


@dataclass(frozen=True, slots=True)
class Classification:
    """The classes of some answers, the largest first.

    >>> classify(["Bern", "Oslo", "oslo"]).class_of(0).key
    'text:bern'
    """

    classes: tuple[AnswerClass, ...]
    index: tuple[int, ...]
    """The position in `classes` of the class of every answer, in the order given."""

    def class_of(self, position: int) -> AnswerClass:
        return self.classes[self.index[position]]


@lru_cache(maxsize=100_000)  # labels and common answers repeat
def answer_key(answer: str, policy: ClassPolicy = ClassPolicy.VALUES, question: str | None = None) -> str:
    """The key of an answer, the same in every run and whatever else was answered.

    With a question, and unless the policy is EXACT, the answer counts as what was asked for (`equivalence.asked`).

    At most 200 characters, without control characters. ROUNDED classes depend on the other answers, so their key
    is that of VALUES.

    >>> answer_key("May 3, 1874"), answer_key("red, green and blue"), answer_key("Louis the 14th")
    ('date:1874-05-03', 'list:blue; green; red', 'text:louis 14')
    >>> answer_key("320", question="How many tonnes can it lift?") == answer_key("320 t")
    True
    """
    key = RULES[policy].key(single_spaced(answer), question)
    if len(key) <= MAX_KEY_CHARACTERS:
        return key
    digest = hashlib.sha256(key.encode()).hexdigest()[:_HASH_CHARACTERS]
    return f"{key[: MAX_KEY_CHARACTERS - _HASH_CHARACTERS - 1]}#{digest}"


def classify(
    answers: Sequence[str], policy: ClassPolicy = ClassPolicy.VALUES, question: str | None = None
) -> Classification:
    """Sort answers, to a question if it is given, into classes; these do not depend on the order of the answers.

    >>> classification = classify(["1,000", "one thousand", "1,001"])
    >>> classification.index
    (0, 0, 1)
    >>> classification.classes[0]
    AnswerClass(key='number:1000', representative='1,000', size=2)
    >>> classify(["84,000", "83,887", "83,871"], ClassPolicy.ROUNDED).index
    (0, 0, 1)
    """
    counts = Counter(map(single_spaced, answers))
    key_of = {spelling: answer_key(spelling, policy, question) for spelling in counts}
    groups: dict[str, Counter[str]] = {}
    for spelling, count in counts.items():
        groups.setdefault(key_of[spelling], Counter())[spelling] = count
    join = RULES[policy].join
    merged = _merged(groups, join, question) if join else list(groups.values())
    ranked = sorted(merged, key=lambda group: (-group.total(), key_of[_most_frequent(group)]))
    position = {spelling: at for at, group in enumerate(ranked) for spelling in group}
    return Classification(
        tuple(AnswerClass(key_of[_most_frequent(group)], _most_frequent(group), group.total()) for group in ranked),
        tuple(position[single_spaced(answer)] for answer in answers),
    )


def representative(spellings: Iterable[str]) -> str:
    """The most frequent spelling, of several the shortest, then the alphabetically first.

    >>> representative(["42 metres", "42 m", "42 m"])
    '42 m'
    """
    return _most_frequent(Counter(map(single_spaced, spellings)))


def single_spaced(answer: str) -> str:
    """The answer with its words set apart by single spaces."""
    return " ".join(answer.split())


def _most_frequent(counts: Mapping[str, int]) -> str:
    return min(counts, key=lambda spelling: _rank(spelling, counts))


def _rank(spelling: str, counts: Mapping[str, int]) -> tuple[int, int, str]:
    return -counts[spelling], len(spelling), spelling


def _merged(groups: Mapping[str, Counter[str]], join: JoinKeys, question: str | None) -> list[Counter[str]]:
    keys = sorted(groups, key=lambda key: (-groups[key].total(), key))
    short = [key for key in keys if len(_most_frequent(groups[key])) <= MAX_JOINED_CHARACTERS]
    spellings = {key: _asked_spellings(groups[key], question) for key in short[:MAX_JOINED_ANSWERS]}
    joined = join(spellings)
    singletons = [[key] for key in groups.keys() - spellings.keys()]
    return [sum((groups[key] for key in members), Counter()) for members in [*joined, *singletons]]


def _asked_spellings(counts: Mapping[str, int], question: str | None) -> list[str]:
    """The spellings as they are parsed, the most frequent first."""
    ranked = sorted(counts, key=lambda spelling: _rank(spelling, counts))
    return ranked if question is None else [as_asked(spelling, question) for spelling in ranked]
