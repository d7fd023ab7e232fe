"""Text of any script: Unicode composition, case folding, the tokeniser of the alignment, SQuAD's normalisation."""

import string
import unicodedata
from collections.abc import Callable

import regex

# Scripts written without spaces, and Korean, whose particles stick to the word: a reader cuts inside a run of
# letters there, so every character (with its marks) is a token of its own.
_UNSPACED = (
    r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}"
    r"\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー"
)

# Possessive quantifiers throughout: a match never backtracks, so the time is linear in the text.
_TOKEN = regex.compile(
    rf"""(?V1)
    \d{{1,3}}(?:,\d{{3}})++(?!\d)(?:\.\d++)?+      # 1,000  and  1,234.5
    | \d++(?:\.\d++)*+                             # 1000, 3.5 and 1.2.3
    | [{_UNSPACED}]\p{{M}}*+
    | [[\p{{L}}\p{{N}}]--[{_UNSPACED}]][[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]*+
    """,
    regex.VERBOSE,
)
_ARTICLE = regex.compile(r"(?<![\p{L}\p{M}\p{N}_])(?:a|an|the)(?![\p{L}\p{M}\p{N}_])")
_NUMBER_SIGN_EXPONENT = regex.compile(r"(?<=\d)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]++")

# NFKC alone would read 2½ as 21/2.
_VULGAR_FRACTIONS = {
    code: " " + unicodedata.normalize("NFKC", chr(code))
    for code in range(0x80, 0x3000)
    if unicodedata.decomposition(chr(code)).startswith("<fraction>")
}
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_ARABIC_SEPARATORS = {0x066B: ".", 0x066C: ","}
_SPELLINGS = _VULGAR_FRACTIONS | _DASHES | _ARABIC_SEPARATORS


class _CharacterTable(dict[int, str | None]):
    """A table for `str.translate` that computes the replacement of a character, None to delete it, at its first use."""

    def __init__(self, replacement: Callable[[str], str | None]) -> None:
        super().__init__()
        self._replacement = replacement

    def __missing__(self, code: int) -> str | None:
        self[code] = self._replacement(chr(code))
        return self[code]


def _plain(character: str) -> str | None:
    """ASCII digits, white space for control characters, and no format and surrogate characters."""
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category in {"Cf", "Cs"}:
        return None
    return " " if category == "Cc" else character


def _without_punctuation(character: str) -> str | None:
    """No punctuation of any script, and none of the ASCII symbols that SQuAD counts among it."""
    return None if unicodedata.category(character).startswith("P") or character in string.punctuation else character


_PLAIN = _CharacterTable(_plain)
_NO_PUNCTUATION = _CharacterTable(_without_punctuation)


def compose(text: str) -> str:
    """NFKC that keeps what numbers mean; digits become ASCII, every dash `-`, and control characters white space.

    >>> compose("10² km²"), compose("3.5\xa0km")
    ('10^2 km2', '3.5 km')
    """
    if text.isascii():
        return text.translate(_PLAIN)
    spelled = _NUMBER_SIGN_EXPONENT.sub(r"^\g<0>", text.translate(_SPELLINGS))
    return unicodedata.normalize("NFKC", spelled).translate(_SPELLINGS).translate(_PLAIN)


def fold(text: str) -> str:
    """The composed text in folded case.

    >>> fold("STRASSE") == fold("Straße")
    True
    """
    composed = compose(text)
    if composed.isascii():
        return composed.lower()
    return compose(composed.casefold())


def without_accents(text: str) -> str:
    """The text in folded case and without accents.

    >>> without_accents("Brasília")
    'brasilia'
    """
    decomposed = unicodedata.normalize("NFD", fold(text))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def tokenize(text: str) -> list[str]:
    """The words and numbers of the folded text, in order; scripts without spaces give a token a character.

    >>> tokenize("Nepal's 1,000 peaks"), tokenize("東京")
    (['nepal', 's', '1000', 'peaks'], ['東', '京'])
    """
    return [token.replace(",", "") for token in _TOKEN.findall(fold(text))]


def squad_normalise(text: str) -> str:
    """Lower case, no punctuation, no articles, single spaces (Rajpurkar et al. 2016, arXiv:1606.05250), for any script.

    >>> squad_normalise("The  Eiffel Tower!")
    'eiffel tower'
    """
    bare = fold(text).translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())


def word_set(words: str) -> frozenset[str]:
    """The set of the words between the white space of a text.

    >>> sorted(word_set("of the and"))
    ['and', 'of', 'the']
    """
    return frozenset(words.split())


MONTHS = word_set("january february march april may june july august september october november december")
WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
