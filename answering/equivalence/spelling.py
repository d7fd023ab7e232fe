# ruff: noqa: RUF001  letters that look like others are what is spelled
"""Words: diacritics, transliterations, British and American forms, plurals, typing errors; which words distinguish."""

import unicodedata
from functools import lru_cache

import regex
from rapidfuzz.distance import OSA

from answering.equivalence.values.numerals import ROMAN_NUMERALS
from answering.text import word_set

MIN_TYPO_LETTERS = 8
"""Shorter words that differ by a letter are different words: Mario and Maria, nitrate and nitrite."""

_EDGE_LETTERS = 3
"""The first and last letters must agree: Alexandra and Alexandria, prescribe and proscribe, Dominica(n) differ."""

_MARKED = regex.compile(r"([a-z])\p{M}++|(?<=\p{Script=Arabic})[\u064b-\u0652\u0670\u0640]++")
_LETTERS = str.maketrans(
    {
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h",
        "ё": "е", "أ": "ا", "إ": "ا", "آ": "ا", "ـ": None,
    }
)  # fmt: skip
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_AMERICAN = {
    "colour": "color", "favour": "favor", "honour": "honor", "labour": "labor", "harbour": "harbor",
    "neighbour": "neighbor", "armour": "armor", "humour": "humor", "rumour": "rumor", "flavour": "flavor",
    "behaviour": "behavior", "centre": "center", "theatre": "theater", "metre": "meter", "litre": "liter",
    "fibre": "fiber", "grey": "gray", "defence": "defense", "offence": "offense", "licence": "license",
    "aluminium": "aluminum", "programme": "program", "catalogue": "catalog", "dialogue": "dialog", "plough": "plow",
    "tyre": "tire", "jewellery": "jewelry", "travelling": "traveling", "traveller": "traveler", "mould": "mold",
    "moustache": "mustache", "sulphur": "sulfur", "cheque": "check", "pyjamas": "pajamas", "artefact": "artifact",
    "haemoglobin": "hemoglobin", "anaemia": "anemia", "oestrogen": "estrogen", "foetus": "fetus",
    "encyclopaedia": "encyclopedia", "archaeology": "archeology", "paediatric": "pediatric",
}  # fmt: skip
_IZE = regex.compile(r"(?<=\p{L}{4})is(?=(?:e|ed|er|ing|ation|ations|es)$)")
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
_DISTINGUISHING = word_set(
    """not no non never neither nor without anti minus un except or either versus vs but ex former vice deputy assistant
    acting junior senior elder younger north south east west northern southern eastern western northeast northwest
    southeast southwest central new old upper lower inner outer greater lesser great little big small before after
    pre post half double over under above below more less least most false fake cannot cant dont doesnt didnt isnt
    arent wasnt werent wont hardly almost nearly early late mid middle left right male female increase decrease mens
    womens boys girls step grand co democratic peoples equatorial papua until since till true positive negative
    maximum minimum first last next previous high low"""
)


@lru_cache(maxsize=50_000)
def standard_spelling(word: str) -> str:
    """A folded word without diacritics on Latin letters and in American spelling; other scripts keep their marks.

    >>> standard_spelling("zürich"), standard_spelling("colour"), standard_spelling("organise")
    ('zurich', 'color', 'organize')
    """
    bare = without_diacritics(word)
    return _IZE.sub("iz", _AMERICAN.get(bare, bare))


def without_diacritics(text: str) -> str:
    """Folded text without marks on Latin letters; other scripts keep theirs.

    >>> without_diacritics("malé"), without_diacritics("łódź"), without_diacritics("й")
    ('male', 'lodz', 'й')
    """
    return text if text.isascii() else _without_marks(text.translate(_LETTERS))


def transliterated(words: tuple[str, ...]) -> tuple[str, ...]:
    """Folded words with `ae` for `ä`, and the like."""
    return tuple(standard_spelling(unicodedata.normalize("NFC", word).translate(_UMLAUTS)) for word in words)


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


def typo_key(word: str) -> str:
    """Equal for two words that may differ by a typing error."""
    return word if len(word) < MIN_TYPO_LETTERS else f"{word[:_EDGE_LETTERS]}~{word[-_EDGE_LETTERS:]}"


def is_typo(word: str, other: str) -> bool:
    """Whether two long words differ by at most one edit in their middle: Missisippi."""
    if min(len(word), len(other)) < MIN_TYPO_LETTERS or typo_key(word) != typo_key(other):
        return False
    return OSA.distance(word, other, score_cutoff=1) <= 1


@lru_cache(maxsize=10_000)
def is_distinguishing(word: str) -> bool:
    """Whether two answers differ if only one has this word: numbers, numerals, symbols, negations, directions."""
    if word in _DISTINGUISHING or any(map(str.isdigit, word)) or (len(word) > 1 and word in ROMAN_NUMERALS):
        return True
    return not any(map(str.isalpha, word))


def _without_marks(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", _MARKED.sub(r"\1", decomposed))
