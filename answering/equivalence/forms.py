"""An answer taken apart for comparison: its value, its words, and the shorter answers that it says and more.

The rules about words are for English; for other languages only spelling, order and marks are compared.
"""

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import regex

from answering.equivalence.abbreviations import write_out
from answering.equivalence.cores import Words, cores
from answering.equivalence.lists import MAX_ITEM_CHARACTERS, MAX_ITEMS, MAX_LIST_CHARACTERS, parts
from answering.equivalence.mentions import mentioned
from answering.equivalence.names import Name, names
from answering.equivalence.spelling import plain, singular, transliterated, typo_key
from answering.equivalence.values import Value, ValueKind, parse_value
from answering.equivalence.values.units import System
from answering.equivalence.vocabulary import TITLES, tells_apart
from answering.equivalence.wording import counted_wording
from answering.text import word_set

# Two quantities within 1 % of each other are at most one step of 2 % apart.
_CONVERSION_STEP = math.log(1.02)
_PARENTHESIS = regex.compile(r"\s*+[(\[]([^()\[\]]*+)[)\]]")
_ROLE = regex.compile(r"(?:\bby\s+)?\((?:authors?|eds?\.?|editors?|edt)\)|\bet\s+al\b\.?", regex.IGNORECASE)
_DIGITS = regex.compile(r"\d++")
_LOWER_WORD = regex.compile(r"(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}'\u2019-]*+$")
_CAPITALS = regex.compile(r"\p{Lu}{3,6}")
_UNCOUNTED = word_set("of the and for de in on")


@dataclass(frozen=True, slots=True)
class Form:
    """What is compared of an answer."""

    value: Value | None
    mentioned: Value | None
    """The only value in an answer that says more than a value."""
    words: Words
    """Without articles, titles and prepositions in front, and diacritics on Latin letters."""
    titles: frozenset[str]
    marks: Words
    """The words that tell answers apart, sorted."""
    spellings: frozenset[Words]
    """Other orders and spellings of the same words: `Varn, Ilse` is `Ilse Varn`, and a list its sorted items."""
    glued: str
    """All letters and digits in a row: F-16 is F16, if both have the same numbers."""
    numbers: tuple[str, ...]
    stem: Words
    """The words with the last one in the singular."""
    is_common: bool
    """Whether the last word is written small, as no name is: what ends in s may be a plural."""
    names: frozenset[Name]
    items: tuple[Name, ...]
    """The items of a list of names or things, sorted by their last words."""
    acronym: str
    """The letters of an acronym, or the initials of the words."""
    is_acronym: bool
    cores: frozenset[Words]
    """Shorter answers that this one says and more: a name without its title or region, the answer in a sentence."""


def form(answer: str) -> Form:
    """Take an answer apart."""
    bare_answer = _ROLE.sub("", answer)
    inside = any(map(str.strip, _PARENTHESIS.findall(bare_answer)))
    outer = write_out(_PARENTHESIS.sub("", bare_answer).strip(" ,;") or answer)
    titled = plain_words(answer)
    bare = untitled(titled)
    value = parse_value(answer)
    found = parts(outer) if len(outer) <= MAX_LIST_CHARACTERS else []
    return Form(
        value=value,
        mentioned=None if value else parse_value(outer) or mentioned(answer),
        words=bare,
        titles=frozenset(titled[: len(titled) - len(bare)]),
        marks=tuple(sorted(filter(tells_apart, bare))),
        spellings=frozenset(_spellings(bare_answer.strip(), outer, bare)),
        glued="".join(bare),
        numbers=tuple(_DIGITS.findall(" ".join(bare))),
        stem=(*bare[:-1], singular(bare[-1])) if bare else bare,
        is_common=bool(_LOWER_WORD.search(answer)),
        names=frozenset() if inside else frozenset(name for name in map(untitled, names(outer)) if len(name) > 1),
        items=() if inside else _items(outer, found),
        acronym=answer.casefold() if _CAPITALS.fullmatch(answer) else _initials(outer),
        is_acronym=bool(_CAPITALS.fullmatch(answer)),
        cores=frozenset(cores(outer, bare, lambda part: untitled(plain_words(part)))),
    )


def plain_words(text: str) -> Words:
    """The counted wording in plain spelling, without a preposition in front."""
    words = tuple(map(plain, counted_wording(text).split()))
    return words[1:] if len(words) > 1 and words[0] in {"in", "at", "on", "by"} else words


def untitled(words: Words) -> Words:
    """The words without the titles in front of at least one other word."""
    count = 0
    while count < len(words) - 1 and words[count] in TITLES:
        count += 1
    return words[count:]


def handles(one: Form) -> Iterator[Hashable]:
    """Keys of which two forms that are the same, or extend each other, have at least one in common."""
    yield "typo", tuple(map(typo_key, one.words))
    yield "glued", one.glued
    yield "stem", one.stem
    for spelling in (*one.spellings, *one.cores):
        yield "words", spelling
    for name in one.names:
        yield "name", name[-1], name[0][0]
    if one.items:
        yield "items", tuple(item[-1] for item in one.items)
    if one.acronym:
        yield "acronym", one.acronym
    for value in filter(None, (one.value, one.mentioned)):
        yield from _value_handles(value)


def _value_handles(value: Value) -> Iterator[Hashable]:
    yield "value", value.key
    if value.magnitude is None:
        return
    yield "magnitude", value.magnitude
    if value.kind is ValueKind.TIME:
        yield "clock", value.magnitude % 720
    if value.unit and value.unit.system is not System.OTHER and (base := abs(value.unit.to_base(value.magnitude))):
        step = math.floor((math.log(base.numerator) - math.log(base.denominator)) / _CONVERSION_STEP)
        yield "measure", value.unit.dimension, step
        yield "measure", value.unit.dimension, step + 1


def _spellings(answer: str, outer: str, bare: Words) -> Iterator[Words]:
    yield bare
    if not counted_wording(answer).isascii():
        yield transliterated(tuple(counted_wording(answer).split()))
    found = parts(answer) if len(answer) <= MAX_LIST_CHARACTERS else []
    if _is_short_list(found):
        items = [plain_words(part) for part in found]
        yield ("list of", *sorted(map(" ".join, items)))
        if len(items) == 2 and "," in answer:
            yield items[1] + items[0]
    inside = _PARENTHESIS.search(answer)
    if inside and inside[1] and outer != answer:
        yield plain_words(inside[1]) + plain_words(outer)


def _items(outer: str, found: list[str]) -> tuple[Name, ...]:
    """The items of a list, sorted by last word; what commas part inside of semicolons is an inverted name."""
    if ";" in outer or "/" in outer:
        found = [_uninverted(part) for part in regex.split(r";|\s*/\s*", outer) if part.strip()]
    if not _is_short_list(found):
        return ()
    items = (next(iter(sorted(names(part), key=len)), plain_words(part)) for part in found)
    return tuple(sorted(filter(None, map(tuple, items)), key=lambda item: (item[-1], item)))


def _is_short_list(found: list[str]) -> bool:
    return 2 <= len(found) <= MAX_ITEMS and all(len(part) <= MAX_ITEM_CHARACTERS for part in found)


def _uninverted(part: str) -> str:
    surname, comma, given = part.strip(" ,").partition(",")
    return f"{given} {surname}" if comma else part


def _initials(outer: str) -> str:
    """The initials of three or more capitalised words: AFL for American Football League."""
    words = [word for word in outer.replace("-", " ").split() if word not in _UNCOUNTED]
    if not 3 <= len(words) <= 6 or not all(word[0].isupper() for word in words):
        return ""
    return "".join(word[0] for word in words).casefold()
