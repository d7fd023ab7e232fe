"""The policies of answer equivalence: for each, the key of an answer and how classes are clustered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from answering.equivalence.clustering import cluster
from answering.equivalence.lists import list_items
from answering.equivalence.normalisation import canonical_text, normalised_text
from answering.equivalence.values import parse_value


class ClassPolicy(StrEnum):
    """When two answers are the same.

    >>> from answering.equivalence import answer_key
    >>> [answer_key("a thousand", policy) for policy in (ClassPolicy.EXACT, ClassPolicy.VALUES)]
    ['text:thousand', 'number:1000']
    """

    EXACT = "exact"
    """The same normalised words."""
    VALUES = "values"
    """The same words or the same value: 1,000 and one thousand, 3 May 1874 and 1874-05-03, 42 m and 42 metres.

    Abbreviations and Roman numerals count as what they stand for, and a list as its items in any order.
    """
    FUZZY = "fuzzy"
    """Also probably the same: typing errors, initials, more or fewer words. Never other numbers or dates."""


@dataclass(frozen=True, slots=True)
class PolicyRules:
    """What a policy does with answers."""

    key: Callable[[str], str]
    """The key of an answer; answers of equal keys are the same."""
    cluster: Callable[[Mapping[str, str]], list[list[str]]] | None = None
    """Merges keys with different spellings, if the policy does."""


def word_key(answer: str) -> str:
    """`text:` and the normalised words."""
    return f"text:{normalised_text(answer)}"


def value_key(answer: str) -> str:
    """The key of the answer's value; else `list:` and the sorted items; else `text:` and the canonical text."""
    value = parse_value(answer)
    if value:
        return value.key
    items = list_items(answer)
    return f"list:{'; '.join(items)}" if items else f"text:{canonical_text(answer)}"


RULES: Mapping[ClassPolicy, PolicyRules] = {
    ClassPolicy.EXACT: PolicyRules(word_key),
    ClassPolicy.VALUES: PolicyRules(value_key),
    ClassPolicy.FUZZY: PolicyRules(value_key, cluster),
}
