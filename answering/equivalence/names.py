"""Names of people with initials: J. R. Smith may be John R. Smith, and John Smith; John Smith is never Jane Smith."""

from collections.abc import Sequence

import regex

from answering.equivalence.spelling import plain
from answering.equivalence.values.roman import roman_number
from answering.text import fold, word_set

MAX_NAME_CHARACTERS = 60
MAX_NAME_WORDS = 5

Name = tuple[str, ...]

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'\u2019]*+(?:-\p{L}[\p{L}\p{M}'\u2019]*+)*+")
_PACKED = regex.compile(r"\p{Lu}{2,3}")
_NOT_IN_NAMES = regex.compile(r"[^\p{L}\p{M}'\u2019\-.,\s]")
_SMALL_WORDS = word_set("a e i o u y")
_PARTICLES = word_set("de da di du del della der den van von la le el al bin ibn ben")


def names(answer: str) -> frozenset[Name]:
    """The ways to read an answer as the name of one person, first names first; empty if it is none."""
    if len(answer) > MAX_NAME_CHARACTERS or _NOT_IN_NAMES.search(answer):
        return frozenset()
    surname, comma, given = answer.partition(",")
    if "," in given:
        return frozenset()
    ordered = f"{given} {surname}" if comma else answer
    spelled = [_tokens(ordered, packed=False), _tokens(ordered, packed=True)]
    return frozenset(name for name in spelled if 2 <= len(name) <= MAX_NAME_WORDS)


def refines(short: Name, long: Name) -> bool:
    """Whether the longer name is the shorter one with initials written out or middle initials added."""
    if short == long or short[-1] != long[-1] or not _stands_for(short[0], long[0]):
        return False
    ours, theirs = short[1:-1], long[1:-1]
    if len(ours) == len(theirs):
        return all(map(_stands_for, ours, theirs))
    return not ours and all(len(word) == 1 for word in theirs)


def _stands_for(initial: str, word: str) -> bool:
    return initial == word or (len(initial) == 1 and word.startswith(initial))


def _tokens(text: str, *, packed: bool) -> Name:
    """Folded words of a name; `packed` reads JR Smith as J. R. Smith. No name has a small word but van and the like."""
    found: Sequence[str] = _WORD.findall(text)
    shouted = text.isupper()
    if len(found) > MAX_NAME_WORDS or (any(map(_is_common, found)) and not _is_lower_name(text, found)):
        return ()
    split = (list(word) if packed and not shouted and _is_packed(word) else [word] for word in found)
    return tuple(plain(fold(word).replace("'", "").replace("\u2019", "")) for words in split for word in words)


def _is_common(word: str) -> bool:
    return word[0].islower() and word not in _PARTICLES


def _is_lower_name(text: str, words: Sequence[str]) -> bool:
    """Whether a text without any capital has an initial, so that it is a name all the same."""
    return text == text.lower() and any(len(word) == 1 and word not in _SMALL_WORDS for word in words)


def _is_packed(word: str) -> bool:
    return bool(_PACKED.fullmatch(word)) and roman_number(word.lower()) is None
