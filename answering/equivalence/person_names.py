"""Names of people: J. R. Smith may be John R. Smith or John Smith; John Smith is never Jane Smith."""

from collections.abc import Sequence

import regex

from answering.equivalence.spelling import standard_spelling
from answering.equivalence.values.numerals import ROMAN_NUMERALS
from answering.text import fold, word_set

MAX_NAME_CHARACTERS = 60
MAX_NAME_WORDS = 5

Name = tuple[str, ...]

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'\u2019]*+(?:-\p{L}[\p{L}\p{M}'\u2019]*+)*+")
_PACKED = regex.compile(r"\p{Lu}{2,3}")
_NOT_IN_NAMES = regex.compile(r"[^\p{L}\p{M}'\u2019\-.,\s]")
_SMALL_WORDS = word_set("a e i o u y")
_PARTICLES = word_set("de da di du del della der den van von la le el al bin ibn ben")


def possible_names(answer: str) -> frozenset[Name]:
    """The ways to read an answer as the name of one person, surname last; empty if it is no name.

    >>> possible_names("Smith, John R.")
    frozenset({('john', 'r', 'smith')})
    """
    if len(answer) > MAX_NAME_CHARACTERS or _NOT_IN_NAMES.search(answer):
        return frozenset()
    surname, comma, forename = answer.partition(",")
    if "," in forename:
        return frozenset()
    ordered = f"{forename} {surname}" if comma else answer
    readings = [_words(ordered, packed=False), _words(ordered, packed=True)]
    return frozenset(name for name in readings if 2 <= len(name) <= MAX_NAME_WORDS)


def abbreviates(short: Name, long: Name) -> bool:
    """Whether `long` is `short` with initials written out or middle initials added.

    >>> abbreviates(("j", "smith"), ("john", "smith")), abbreviates(("john", "smith"), ("jane", "smith"))
    (True, False)
    """
    if short == long or short[-1] != long[-1] or not _stands_for(short[0], long[0]):
        return False
    middle, long_middle = short[1:-1], long[1:-1]
    if len(middle) == len(long_middle):
        return all(map(_stands_for, middle, long_middle))
    return not middle and all(len(word) == 1 for word in long_middle)


def _stands_for(initial: str, word: str) -> bool:
    return initial == word or (len(initial) == 1 and word.startswith(initial))


def _words(text: str, *, packed: bool) -> Name:
    """The folded words of a name, or none; `packed` reads JR Smith as J. R. Smith.

    A name has no words in small letters but particles such as `van`.
    """
    words: Sequence[str] = _WORD.findall(text)
    in_capitals = text.isupper()
    if len(words) > MAX_NAME_WORDS or (any(map(_is_common, words)) and not _is_lower_name(text, words)):
        return ()
    split = (list(word) if packed and not in_capitals and _is_packed(word) else [word] for word in words)
    return tuple(
        standard_spelling(fold(word).replace("'", "").replace("\u2019", "")) for initials in split for word in initials
    )


def _is_common(word: str) -> bool:
    return word[0].islower() and word not in _PARTICLES


def _is_lower_name(text: str, words: Sequence[str]) -> bool:
    """Whether a text without capitals has an initial, which makes it a name all the same."""
    return text == text.lower() and any(len(word) == 1 and word not in _SMALL_WORDS for word in words)


def _is_packed(word: str) -> bool:
    return bool(_PACKED.fullmatch(word)) and word.lower() not in ROMAN_NUMERALS
