# ruff: noqa: RUF001  the commas of other scripts
"""Answers that are lists, such as `red, green and blue`. Order seldom matters, so the items are sorted."""

import itertools

import regex

from answering.equivalence.abbreviations import regions
from answering.equivalence.normalisation import canonical_text
from answering.equivalence.values.number_words import CARDINAL_WORDS, MULTIPLIERS
from answering.text import word_set

MAX_LIST_CHARACTERS = 200
"""A longer answer is prose."""

MAX_ITEMS = 30
MAX_ITEM_CHARACTERS = 60
_MAX_ITEM_WORDS = 5
# Martin Luther King, Jr. and Acme, Inc. are one thing.
_SUFFIX = regex.compile(r",\s*+(?=(?:jr|sr|inc|ltd|llc|ph\.?\s?d|m\.?d|esq|ii|iii|iv)\b)", regex.IGNORECASE)
_AND = r"(?:and|&|as\ well\ as|along\ with|['\u2018\u2019]?n['\u2019])(?=\s)"
_BREAK = regex.compile(
    rf"""(?: \s*+[;；、،] | [,，](?!\d{{3}}(?!\d)) | \s/ | /\s | ,?\s++{_AND}(?!\s++(?:co|company|sons)\b) )
    \s*+ (?: {_AND}\s++ )?""",
    regex.IGNORECASE | regex.VERBOSE,
)
_CLEAR_BREAK = regex.compile(rf"[;；、،]|\s{_AND}", regex.IGNORECASE | regex.VERBOSE)
_CLAUSE_WORDS = word_set(
    """is was are were be been he she it they we i you who which that has have had not but because when where if so then
    in on at by from to for with"""
)


def split_list(answer: str) -> list[str]:
    """The parts between commas, semicolons, slashes and `and`, as written; the whole answer if there are none."""
    text = _SUFFIX.sub(" ", answer)
    parts = [part for part in _BREAK.split(text.removeprefix("both ")) if part]
    return [answer] if any(map(_joins_a_number, parts, parts[1:])) else parts


def list_items(answer: str) -> tuple[str, ...] | None:
    """The sorted canonical texts of the items, or None if the answer is no list.

    >>> list_items("red, green and blue")
    ('blue', 'green', 'red')
    >>> list_items("Miami, Florida, USA") is None
    True
    """
    parts = split_list(answer) if len(answer) <= MAX_LIST_CHARACTERS else []
    is_clear = bool(_CLEAR_BREAK.search(answer))
    if len(parts) < 2 or (len(parts) == 2 and not is_clear):
        return None
    if len(parts) > MAX_ITEMS or any(len(part) > MAX_ITEM_CHARACTERS for part in parts):
        return None
    items = list(itertools.takewhile(_is_item, map(canonical_text, parts)))
    if len(items) < len(parts) or (not is_clear and items[0] not in regions() and regions().issuperset(items[1:])):
        return None
    return tuple(sorted(items))


def list_parts(answer: str) -> tuple[str, ...]:
    """The items of a list as written, in their order; the answer alone if it is no list.

    >>> list_parts("Tora Myhre, Ida Kolb and Otto Brandt")
    ('Tora Myhre', 'Ida Kolb', 'Otto Brandt')
    """
    return (answer,) if list_items(answer) is None else tuple(part.strip() for part in split_list(answer))


def _is_item(item: str) -> bool:
    words = item.split()
    return len(words) <= _MAX_ITEM_WORDS and any(map(str.isalpha, item)) and _CLAUSE_WORDS.isdisjoint(words)


def _joins_a_number(left: str, right: str) -> bool:
    """Whether `and` stands inside a number, as in `a hundred and five ships`."""
    before, after = left.casefold().split()[-1:], right.casefold().replace("-", " ").split()[:1]
    return bool(before and after) and before[0] in MULTIPLIERS and after[0] in CARDINAL_WORDS
