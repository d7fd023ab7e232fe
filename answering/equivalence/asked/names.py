"""Names of the question that an answer repeats: the Djibouti franc is the franc, where Djibouti's is asked for."""

from functools import lru_cache

import regex

from answering.equivalence.normalisation import canonical_text
from answering.equivalence.spelling import without_diacritics
from answering.text import word_set

_CAPITALISED = regex.compile(r"\p{Lu}[\p{L}\p{M}'\u2019-]*(?:\s++\p{Lu}[\p{L}\p{M}'\u2019-]*)*")
_POSSESSIVE = regex.compile(r"['\u2019]s?$")
_FIRST_WORDS = word_set(
    """what which who whom whose when where why how is are was were do does did has have had can could will would in on
    at by from to for of the a an and according name tell give list"""
)
# Djiboutian is of Djibouti, Mexican of Mexico, Afghan of Afghanistan; Australian is not of Austria.
_ADJECTIVE_ENDINGS = ("nian", "vian", "ian", "ean", "ese", "lese", "ish", "ic", "an", "n", "i", "")
_NAME_ENDINGS = word_set("a o e y s ia ea ey land istan") | {""}
_MIN_STEM_LETTERS = 3
_OF = frozenset({"of", "de"})
_CITY_ASKED = regex.compile(r"\b(?:capital|city|town)\b", regex.IGNORECASE)


def without_asked_names(text: str, question: str) -> str:
    """A canonical text without a name of the question, or its adjective, in front of other words or behind `of`.

    An answer that is nothing but such names stays, as does a number behind one. Where a city is asked for, Kuwait City
    is Kuwait.

    >>> question = "What is the currency of Djibouti?"
    >>> [without_asked_names(text, question) for text in ("djibouti franc", "djiboutian franc", "djibouti")]
    ['franc', 'franc', 'djibouti']
    >>> without_asked_names("south sudan", "Is Juba in Sudan or in South Sudan?")
    'south sudan'
    >>> question = "What is the capital of Chile?"
    >>> [without_asked_names(text, question) for text in ("santiago de chile", "chile city")]
    ['santiago', 'chile']
    """
    words = text.split()
    names = asked_names(question)
    if any(_are_named(words, name) for name in names):
        return text
    for name in names:
        rest = _rest(words, name)
        if rest == ["city"] and _CITY_ASKED.search(question):
            return " ".join(name)
        if rest and rest[0].isalpha() and len(rest[0]) > 1:
            return " ".join(rest)
    return text


def _rest(words: list[str], name: tuple[str, ...]) -> list[str]:
    """The words without the name in front of them, or behind them after `of`; nothing if it stands in neither place."""
    if _are_named(words[: len(name)], name):
        return words[len(name) :]
    behind = len(words) - len(name)
    if behind > 1 and words[behind - 1] in _OF and tuple(words[behind:]) == name:
        return words[: behind - 1]
    return []


@lru_cache(maxsize=1_000)
def asked_names(question: str) -> tuple[tuple[str, ...], ...]:
    """The capitalised words of a question that stand together, the longest first, but for the word it begins with.

    >>> asked_names("What is the capital of South Sudan, and is it larger than Chad's?")
    (('south', 'sudan'), ('chad',))
    """
    names = set[tuple[str, ...]]()
    for match in _CAPITALISED.finditer(question):
        phrase = " ".join(_POSSESSIVE.sub("", word) for word in match[0].split())
        words = tuple(without_diacritics(canonical_text(phrase)).split())
        while words and words[0] in _FIRST_WORDS:
            words = words[1:]
        if words:
            names.add(words)
    return tuple(sorted(names, key=lambda name: (-len(name), name)))


def _are_named(words: list[str], name: tuple[str, ...]) -> bool:
    if len(words) != len(name) or words[:-1] != list(name[:-1]):
        return False
    return words[-1] == name[-1] or words[-1] == name[-1] + "s" or _is_adjective(words[-1], name[-1])


def _is_adjective(word: str, name: str) -> bool:
    stems = (word.removesuffix(ending) for ending in _ADJECTIVE_ENDINGS if word.endswith(ending))
    return any(
        len(stem) >= _MIN_STEM_LETTERS and name.startswith(stem) and name[len(stem) :] in _NAME_ENDINGS
        for stem in stems
    )
