"""Do two answers probably mean the same? The choice FUZZY: typing errors, order, titles, more or fewer words.

What tells answers apart is never bridged: numbers, dates, ordinals, negations, directions, junior and senior.
The rules about words are for English; for other languages only spelling, order and marks are compared.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import regex
from rapidfuzz.distance import OSA

from answering.values import Value, ValueKind, parse_value
from answering.values.units import System
from answering.wording import counted_wording

CONVERSION_TOLERANCE = Fraction(1, 100)
"""Relative: 26 miles and 42 km (41.84) meet, because who converts also rounds. Within one system it is 0."""

MAX_FUZZY_CHARACTERS = 300
"""Longer answers are compared by their keys alone."""

MIN_TYPO_LETTERS = 8
"""Shorter words one letter apart are other words: Mario and Maria, nitrate and nitrite, Iran and Iraq."""

MAX_WORDS_BEFORE = 3
MAX_WORDS_AFTER = 8


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TITLES = _words(
    """mr mrs ms miss dr sir lord lady dame captain capt professor prof president king queen prince princess saint
    general gen colonel col major lieutenant lt sergeant sgt admiral father mother sister brother reverend rev pope
    emperor empress senator governor mayor minister judge bishop archbishop cardinal duke duchess count baron"""
)
_DISTINGUISHING = _words(
    """not no non never neither nor without anti minus un except or either versus vs but ex former vice deputy
    assistant acting junior jr senior sr elder younger north south east west northern southern eastern western
    northeast northwest southeast southwest central new old upper lower inner outer greater lesser great little big
    small before after pre post half double over under above below more less least most false fake cannot
    cant dont doesnt didnt isnt arent wasnt werent wont hardly almost nearly"""
)
_ROMAN = re.compile(r"(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})")
_PREPOSITIONS = _words("of by from in to at on for with near against about than after before de du von van da")
_DROPPED_IN_FRONT = frozenset({"in", "at", "on", "by"})
_CLAUSE_OPENERS = frozenset({"is", "was", "are", "were", "in", "at", "on", "near", "who", "which", "from"})
_MARKED_LATIN = regex.compile(r"([a-z])\p{M}++")
_LIST_BREAK = re.compile(r" ?(?:,(?!\d)|;) ?(?:and |or )?| (?:and|&) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Form:
    """What is compared of an answer."""

    value: Value | None
    words: tuple[str, ...]
    """Without articles, titles and prepositions in front, and diacritics on Latin letters."""
    titles: frozenset[str]
    marks: tuple[str, ...]
    """The words that tell answers apart, sorted."""
    arrangements: frozenset[tuple[str, ...]]
    """Other orders of the same words: `Varn, Ilse` is `Ilse Varn`, and a list its sorted items."""


def form(answer: str) -> Form:
    """Take an answer apart."""
    words = _plain_words(answer)
    if len(words) > 1 and words[0] in _DROPPED_IN_FRONT:
        words = words[1:]
    count = _leading_titles(words)
    bare = words[count:]
    return Form(
        value=parse_value(answer),
        words=bare,
        titles=frozenset(words[:count]),
        marks=tuple(sorted(filter(_tells_apart, bare))),
        arrangements=frozenset(_arrangements(answer, bare)),
    )


def same(one: Form, other: Form) -> bool:
    """Whether two answers say the same in other spellings, neither more precisely than the other."""
    if one.value and other.value:
        return one.value.key == other.value.key or _converted(one.value, other.value)
    if one.value or other.value or one.marks != other.marks or one.titles != other.titles:
        return False
    return bool(one.arrangements & other.arrangements) or _mistyped(one.words, other.words)


def extends(short: Form, long: Form) -> bool:
    """Whether `long` says what `short` says and more: a first name, a title, a unit, a clause."""
    if short.value and long.value:
        return _adds_unit(short.value, long.value)
    if long.value or short.marks != long.marks:
        return False
    if short.titles and long.titles and short.titles != long.titles:
        return False
    if short.words == long.words:
        return short.titles < long.titles
    return _contains(long.words, short.words, counted=short.value is not None)


def _plain_words(answer: str) -> tuple[str, ...]:
    decomposed = unicodedata.normalize("NFD", counted_wording(answer))
    return tuple(unicodedata.normalize("NFC", _MARKED_LATIN.sub(r"\1", decomposed)).split())


def _leading_titles(words: tuple[str, ...]) -> int:
    """How many titles stand in front of at least one other word."""
    count = 0
    while count < len(words) - 1 and words[count] in _TITLES:
        count += 1
    return count


def _tells_apart(word: str) -> bool:
    if word in _DISTINGUISHING or any(map(str.isdigit, word)) or _ROMAN.fullmatch(word):
        return True
    return not any(map(str.isalpha, word))


def _arrangements(answer: str, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield words
    parts = [_plain_words(part) for part in _LIST_BREAK.split(" ".join(answer.split())) if part]
    if len(parts) > 1:
        yield ("list of", *sorted(" ".join(part) for part in parts))
    if len(parts) == 2 and "," in answer:
        yield parts[1] + parts[0]


def _mistyped(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if "".join(one) == "".join(other):
        return True
    return len(one) == len(other) and all(map(_nearly, one, other))


def _nearly(one: str, other: str) -> bool:
    if one == other:
        return True
    if min(len(one), len(other)) < MIN_TYPO_LETTERS or one[0] != other[0] or _tells_apart(one) or _tells_apart(other):
        return False
    return OSA.distance(one, other, score_cutoff=1) <= 1


def _contains(long: tuple[str, ...], short: tuple[str, ...], *, counted: bool) -> bool:
    """Whether `short` is the head of the phrase `long`: words in front describe it, a clause may follow.

    English names the thing last, so that `Varn Museum` isn't `Varn`; and `Battle of Varn` isn't either.
    """
    if not any(len(word) > 2 or word.isdigit() or not word.isascii() for word in short):
        return False
    return any(
        long[at : at + len(short)] == short and _describes(long[:at], long[at + len(short) :], counted=counted)
        for at in range(min(len(long) - len(short), MAX_WORDS_BEFORE) + 1)
    )


def _describes(before: tuple[str, ...], after: tuple[str, ...], *, counted: bool) -> bool:
    if len(after) > MAX_WORDS_AFTER or "and" in (*before, *after) or (before and before[-1] in _PREPOSITIONS):
        return False
    return not after or after[0] in _CLAUSE_OPENERS or (counted and not before)


def _adds_unit(short: Value, long: Value) -> bool:
    kinds = (short.kind, long.kind)
    return kinds == (ValueKind.NUMBER, ValueKind.QUANTITY) and short.magnitude == long.magnitude


def _converted(one: Value, other: Value) -> bool:
    """Whether two quantities are one, converted between systems and rounded; degrees convert exactly or not at all."""
    if one.unit is None or other.unit is None or one.magnitude is None or other.magnitude is None:
        return False
    if {one.unit.system, other.unit.system} != {System.METRIC, System.IMPERIAL} or one.unit.offset:
        return False
    ours, theirs = one.unit.to_base(one.magnitude), other.unit.to_base(other.magnitude)
    close = abs(ours - theirs) <= CONVERSION_TOLERANCE * max(abs(ours), abs(theirs))
    return one.unit.dimension == other.unit.dimension and close
