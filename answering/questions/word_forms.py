"""Forms of one word: with and without accents, possessive, plural, and the adjectives of places. English."""

from functools import lru_cache

import regex

from answering.text import without_accents

POSSESSIVE = regex.compile(r"['\u2019]s$|(?<=s)['\u2019]$")
_ADJECTIVES = ("an", "ian", "ean", "ese", "ish")
_LONGEST_WITHOUT_FORM = 3


@lru_cache(maxsize=1 << 14)
def folded_word(word: str) -> str:
    """The word in folded case without accents, possessive and points. Cached, as texts repeat few words."""
    return regex.sub("[.\u2019']", "", without_accents(POSSESSIVE.sub("", word)))


def same_word(name: str, word: str) -> bool:
    """Whether a word is one of a name, or its plural, or its adjective: Kenyan, Hungarian."""
    return name == word or _is_form(name, word) or _is_form(word, name)


def _is_form(word: str, form: str) -> bool:
    if len(word) <= _LONGEST_WITHOUT_FORM:
        return False
    stem = word.removesuffix("y").removesuffix("a").removesuffix("e")
    return form == f"{word}s" or any(form == f"{stem}{ending}" for ending in _ADJECTIVES)
