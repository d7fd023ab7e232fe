# ruff: noqa: RUF001  letters that look like others are what is spelled
"""Words: diacritics and plurals."""

import unicodedata

import regex

from answering.text import word_set

_MARKED = regex.compile(r"([a-z])\p{M}++|(?<=\p{Script=Arabic})[\u064b-\u0652\u0670\u0640]++")
_LETTERS = str.maketrans(
    {
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h",
        "ё": "е", "أ": "ا", "إ": "ا", "آ": "ا", "ـ": None,
    }
)  # fmt: skip
_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "teeth": "tooth",
    "mice": "mouse", "geese": "goose", "oxen": "ox", "criteria": "criterion", "phenomena": "phenomenon",
    "bacteria": "bacterium", "cacti": "cactus", "fungi": "fungus", "nuclei": "nucleus", "larvae": "larva",
    "wolves": "wolf", "knives": "knife", "lives": "life", "wives": "wife", "leaves": "leaf", "halves": "half",
    "shelves": "shelf", "thieves": "thief", "loaves": "loaf", "calves": "calf", "elves": "elf",
}  # fmt: skip
_NO_PLURALS = word_set(
    """news glasses customs arms goods means physics economics mathematics politics athletics gymnastics series species
    always perhaps whereas pants jeans scissors thanks christmas headquarters crossroads damages wales mars"""
)


def without_diacritics(text: str) -> str:
    """Folded text without marks on Latin letters; other scripts keep theirs.

    >>> without_diacritics("malé"), without_diacritics("łódź"), without_diacritics("й")
    ('male', 'lodz', 'й')
    """
    return text if text.isascii() else _without_marks(text.translate(_LETTERS))


def singular(word: str) -> str:
    """The singular of a word that looks like an English plural; otherwise the word.

    >>> singular("wolves"), singular("physics")
    ('wolf', 'physics')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word in _NO_PLURALS or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes", "oes")):
        return word[:-2]
    return word[:-1]


def _without_marks(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", _MARKED.sub(r"\1", decomposed))
