"""Forms of one word: with and without accents, possessive, plural, and the adjectives of places. English."""

from functools import lru_cache

import regex

from answering.text import without_accents

POSSESSIVE = regex.compile(r"['\u2019]s$|(?<=s)['\u2019]$")
_ADJECTIVES = ("an", "ian", "ean", "ese", "ish")
_LONGEST_WITHOUT_FORM = 3


@lru_cache(maxsize=1 << 14)
def folded_word(word: str) -> str:
    """The word in folded case without accents, possessive and marks. Cached, as texts repeat few words."""
    return regex.sub("[.&\u2019']", "", without_accents(POSSESSIVE.sub("", word)))


def same_word(name: str, word: str) -> bool:
    """Whether a word is one of a name, or its plural, or its adjective, or the plural of that: Kenyan, Hungarians."""
    return name == word or _is_form(name, word) or _is_form(word, name)


def is_adjective(word: str) -> bool:
    """Whether a word ends as the adjectives of places do: American, but Susan too."""
    return word.endswith(_ADJECTIVES)


def _is_form(word: str, form: str) -> bool:
    if len(word) <= _LONGEST_WITHOUT_FORM:
        return False
    stem, one = word.removesuffix("y").removesuffix("a").removesuffix("e"), form.removesuffix("s")
    if word.endswith("any") and one == word.removesuffix("y"):
        return True  # Germany, German
    return one == word or any(one == f"{stem}{ending}" for ending in _ADJECTIVES)
