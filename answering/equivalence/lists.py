# ruff: noqa: RUF001  the commas of other scripts
"""Answers that are lists: red, green and blue. Its order seldom matters, so a list is known by its sorted items."""

import itertools

import regex

from answering.equivalence.countries import REGIONS
from answering.equivalence.values.number_words import MULTIPLIERS, VOCABULARY
from answering.equivalence.wording import counted_wording
from answering.text import word_set

MAX_LIST_CHARACTERS = 200
"""A longer answer is prose, whatever commas it has."""

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
_CLEARLY = regex.compile(rf"[;；、،]|\s{_AND}", regex.IGNORECASE | regex.VERBOSE)
_CLAUSE = word_set(
    """is was are were be been he she it they we i you who which that has have had not but because when where if so then
    in on at by from to for with"""
)


def parts(answer: str) -> list[str]:
    """What commas, semicolons, slashes and `and` part, as it is written; one part if there is nothing to part."""
    text = _SUFFIX.sub(" ", answer)
    found = [part for part in _BREAK.split(text.removeprefix("both ")) if part]
    return [answer] if any(map(_joins_a_number, found, found[1:])) else found


def list_items(answer: str) -> tuple[str, ...] | None:
    """The sorted items of a list, as counted wordings, or None: Paris, France and Miami, Florida, USA are none."""
    found = parts(answer) if len(answer) <= MAX_LIST_CHARACTERS else []
    clearly = bool(_CLEARLY.search(answer))
    if len(found) < 2 or (len(found) == 2 and not clearly):
        return None
    if len(found) > MAX_ITEMS or any(len(part) > MAX_ITEM_CHARACTERS for part in found):
        return None
    items = list(itertools.takewhile(_is_item, map(counted_wording, found)))
    if len(items) < len(found) or (not clearly and items[0] not in REGIONS and REGIONS.issuperset(items[1:])):
        return None
    return tuple(sorted(items))


def _is_item(item: str) -> bool:
    words = item.split()
    return len(words) <= _MAX_ITEM_WORDS and any(map(str.isalpha, item)) and _CLAUSE.isdisjoint(words)


def _joins_a_number(left: str, right: str) -> bool:
    """Whether `and` stands inside a number, as in a hundred and five ships."""
    before, after = left.casefold().split()[-1:], right.casefold().replace("-", " ").split()[:1]
    return bool(before and after) and before[0] in MULTIPLIERS and after[0] in VOCABULARY
