"""The items of several lists, in classes: Romansch in one list is the Romansh of another."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from rapidfuzz.distance import OSA

from answering.enums import ClassPolicy
from answering.equivalence.joins import NO_JOINS, Joins, united_keys
from answering.equivalence.lists import list_parts

# What stands beside an item: English (official, spoken by most) 63%.
_ASIDE = re.compile(r"\s*\((?:[^()]|\([^()]*\))*\)|\s+[<~]?\d[\d.,]*\s?(?:%|percent\b)")
# Of 73 pairs of surnames so long and one letter apart in sellers' lists of the authors of one book no pair are two
# authors, and none of 123 pairs of four letters and more; but Iran is not Iraq.
_FEWEST_LETTERS = len("text:") + 6


def listed_items(
    answers: Sequence[str], policy: ClassPolicy, question: str | None = None, joins: Joins = NO_JOINS
) -> list[dict[str, str]]:
    """The wordings of the items of each answer, by their classes.

    Brackets and percentages belong to no item. Items are of one class by the policy and by what people joined, and if
    they differ in one letter behind the first and no answer lists both.

    >>> listed_items(["Italian (7, 8 %), French 23% and Romansch", "Romansh"], ClassPolicy.VALUES)
    [{'text:italian': 'Italian', 'text:french': 'French', 'text:romansch': 'Romansch'}, {'text:romansch': 'Romansh'}]
    >>> listed_items(["Maltese, English", "English, Maltese", "Miami, Florida"], ClassPolicy.EXACT)[1:]
    [{'text:english': 'English', 'text:maltese': 'Maltese'}, {'text:miami florida': 'Miami, Florida'}]
    >>> listed_items(["Maltese,", "English"], ClassPolicy.EXACT)[0]
    {'text:maltese': 'Maltese,'}
    """
    lists = _with_pairs([list_parts(_ASIDE.sub(" ", answer)) for answer in answers])
    items = list(chain.from_iterable(lists))
    united = united_keys(items, [joins.key_of(item, policy, question) for item in items], policy, question)
    keys = iter(united)
    by_key = [{next(keys): item for item in parts} for parts in lists]
    spelling = _spellings(by_key)
    return [{spelling[key]: item for key, item in parts.items()} for parts in by_key]


def _with_pairs(lists: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The lists, of which `Maltese, English` is one too where another answer has one of the two elsewhere; by itself
    it may be a place or a person.
    """
    pairs = [tuple(map(str.strip, parts[0].split(","))) if len(parts) == 1 else () for parts in lists]
    pairs = [pair if len(pair) == 2 and all(pair) else () for pair in pairs]
    first = {pair[0] for pair in pairs if pair}
    known = {item for parts in lists for item in parts if "," not in item}
    return [
        pair if pair and (not known.isdisjoint(pair) or pair[1] in first) else parts
        for parts, pair in zip(lists, pairs, strict=True)
    ]


def _spellings(lists: Sequence[Iterable[str]]) -> Mapping[str, str]:
    """By key the one that stands for it: a more frequent one that is spelled alike, else itself."""
    counts = Counter(chain.from_iterable(lists))
    stands_for: dict[str, str] = {}
    for key in sorted(counts, key=lambda key: (-counts[key], key)):
        others = (other for other, first in stands_for.items() if other == first)
        alike = (other for other in others if _is_alike(key, other) and not _stand_together(key, other, lists))
        stands_for[key] = next(alike, key)
    return stands_for


def _is_alike(key: str, other: str) -> bool:
    first = len("text:") + 1
    long = min(len(key), len(other)) >= _FEWEST_LETTERS and key.startswith("text:")
    return long and key[:first] == other[:first] and OSA.distance(key, other, score_cutoff=1) == 1


def _stand_together(key: str, other: str, lists: Sequence[Iterable[str]]) -> bool:
    return any(key in keys and other in keys for keys in lists)
