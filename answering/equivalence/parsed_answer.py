"""An answer parsed for comparison: its value, words, spellings, names, items and short forms.

The rules about words are for English; in other languages only spelling, order and diacritics are compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from answering.equivalence.abbreviations import expand_text
from answering.equivalence.embedded_values import only_value_in
from answering.equivalence.lists import MAX_ITEM_CHARACTERS, MAX_ITEMS, MAX_LIST_CHARACTERS, split_list
from answering.equivalence.normalisation import canonical_text
from answering.equivalence.person_names import Name, possible_names
from answering.equivalence.short_forms import Words, short_forms
from answering.equivalence.spelling import is_distinguishing, singular, standard_spelling, transliterated
from answering.equivalence.values import Value, parse_value
from answering.text import word_set

_PARENTHESIS = regex.compile(r"\s*+[(\[]([^()\[\]]*+)[)\]]")
_ROLE = regex.compile(r"(?:\bby\s+)?\((?:authors?|eds?\.?|editors?|edt)\)|\bet\s+al\b\.?", regex.IGNORECASE)
_DIGITS = regex.compile(r"\d++")
_LOWER_WORD = regex.compile(r"(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}'\u2019-]*+$")
_CAPITALS = regex.compile(r"\p{Lu}{3,6}")
_NOT_IN_ACRONYMS = word_set("of the and for de in on")
# A name may stand with or without its title; two different titles are two people.
_TITLES = word_set(
    """mr mister mrs ms miss madam dr doctor sir lord lady dame captain capt professor prof president king queen prince
    princess saint general gen colonel col major lieutenant lt sergeant sgt admiral father mother sister brother
    reverend rev pope emperor empress senator sen governor gov mayor minister judge justice bishop archbishop
    cardinal duke duchess count countess baron baroness earl chancellor chairman ambassador commander sheikh sultan
    rabbi"""
)


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What two answers are compared by."""

    value: Value | None
    embedded_value: Value | None
    """The only value in an answer that says more than a value."""
    words: Words
    """In standard spelling, without articles, titles and a preposition in front."""
    titles: frozenset[str]
    distinguishing: Words
    """The distinguishing words, sorted."""
    spellings: frozenset[Words]
    """Other orders and spellings of the same words: `Varn, Ilse` is `Ilse Varn`, and a list its sorted items."""
    joined: str
    """All letters and digits without spaces: F-16 is F16, if both have the same numbers."""
    numbers: tuple[str, ...]
    singular: Words
    """The words with the last one in the singular."""
    is_common_noun: bool
    """Whether the last word is in small letters, so that it may be a plural and is no name."""
    names: frozenset[Name]
    items: tuple[Name, ...]
    """The items of a list of names or things, sorted by their last words."""
    acronym: str
    """The letters of an acronym, or the initials of the words."""
    is_acronym: bool
    short_forms: frozenset[Words]


def parse_answer(answer: str) -> ParsedAnswer:
    """Parse an answer for comparison."""
    without_role = _ROLE.sub("", answer)
    has_parenthesis = any(map(str.strip, _PARENTHESIS.findall(without_role)))
    outer = expand_text(_PARENTHESIS.sub("", without_role).strip(" ,;") or answer)
    all_words = comparable_words(answer)
    words = without_titles(all_words)
    value = parse_value(answer)
    return ParsedAnswer(
        value=value,
        embedded_value=None if value else parse_value(outer) or only_value_in(answer),
        words=words,
        titles=frozenset(all_words[: len(all_words) - len(words)]),
        distinguishing=tuple(sorted(filter(is_distinguishing, words))),
        spellings=frozenset(_spellings(without_role.strip(), outer, words)),
        joined="".join(words),
        numbers=tuple(_DIGITS.findall(" ".join(words))),
        singular=(*words[:-1], singular(words[-1])) if words else words,
        is_common_noun=bool(_LOWER_WORD.search(answer)),
        names=frozenset() if has_parenthesis else _names(outer),
        items=() if has_parenthesis else _items(outer),
        acronym=answer.casefold() if _CAPITALS.fullmatch(answer) else _initials(outer),
        is_acronym=bool(_CAPITALS.fullmatch(answer)),
        short_forms=frozenset(short_forms(outer, words, lambda part: without_titles(comparable_words(part)))),
    )


def comparable_words(text: str) -> Words:
    """The words of the canonical text in standard spelling, without a preposition in front."""
    words = tuple(map(standard_spelling, canonical_text(text).split()))
    return words[1:] if len(words) > 1 and words[0] in {"in", "at", "on", "by"} else words


def without_titles(words: Words) -> Words:
    """The words without the titles in front of at least one other word."""
    count = 0
    while count < len(words) - 1 and words[count] in _TITLES:
        count += 1
    return words[count:]


def _names(outer: str) -> frozenset[Name]:
    return frozenset(name for name in map(without_titles, possible_names(outer)) if len(name) > 1)


def _spellings(answer: str, outer: str, words: Words) -> Iterator[Words]:
    yield words
    canonical = canonical_text(answer)
    if not canonical.isascii():
        yield transliterated(tuple(canonical.split()))
    if items := _short_list(answer):
        item_words = [comparable_words(item) for item in items]
        yield ("list of", *sorted(map(" ".join, item_words)))
        if len(items) == 2 and "," in answer:
            yield item_words[1] + item_words[0]
    parenthesis = _PARENTHESIS.search(answer)
    if parenthesis and parenthesis[1] and outer != answer:
        yield comparable_words(parenthesis[1]) + comparable_words(outer)


def _items(outer: str) -> tuple[Name, ...]:
    """The items of a list, sorted by last word; between semicolons or slashes, a comma inverts a name."""
    items = _short_list(outer)
    if ";" in outer or "/" in outer:
        inverted = (part.strip(" ,").partition(",") for part in regex.split(r";|\s*/\s*", outer) if part.strip())
        items = _if_short(f"{forename} {surname}" if comma else surname for surname, comma, forename in inverted)
    words = (min(sorted(possible_names(item)), key=len, default=comparable_words(item)) for item in items)
    return tuple(sorted(filter(None, words), key=lambda item: (item[-1], item)))


def _short_list(answer: str) -> Sequence[str]:
    return _if_short(split_list(answer)) if len(answer) <= MAX_LIST_CHARACTERS else ()


def _if_short(items: Iterator[str] | Sequence[str]) -> Sequence[str]:
    """The items, or none if they are too few, too many or too long for a list."""
    items = tuple(items)
    return items if 2 <= len(items) <= MAX_ITEMS and max(map(len, items)) <= MAX_ITEM_CHARACTERS else ()


def _initials(outer: str) -> str:
    """The initials of three or more capitalised words: AFL for American Football League."""
    words = [word for word in outer.replace("-", " ").split() if word not in _NOT_IN_ACRONYMS]
    if not 3 <= len(words) <= 6 or not all(word[0].isupper() for word in words):
        return ""
    return "".join(word[0] for word in words).casefold()
