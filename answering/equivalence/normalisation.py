"""Normalisation of answers that are no values: of case, punctuation, articles, numerals and abbreviations.

This is SQuAD's normalisation (arXiv:1606.05250), except that nothing is dropped that distinguishes two answers:
a decimal point, a minus sign, the + of C++, the % of 50 %, an article at the end.
"""

from functools import lru_cache

import regex

from answering.equivalence.abbreviations import expand_text, expand_words
from answering.equivalence.values.number_words import CARDINAL_WORDS, MULTIPLIERS, ORDINAL_WORDS
from answering.equivalence.values.numerals import ROMAN_NUMERALS, parse_number, parse_ordinal
from answering.equivalence.values.value import number_text, ordinal_text
from answering.text import fold, word_set

MAX_EXPANDED_CHARACTERS = 2_000
"""Longer texts are prose: their number words and abbreviations stay, to save time."""

MAX_CACHED_CHARACTERS = 300
"""Sources repeat each other, so the texts of short answers are cached."""

_MAX_NUMBER_WORDS = 12
_ARTICLES = frozenset({"a", "an", "the"})
_TRADE_MARKS = dict.fromkeys(map(ord, "\u00ae\u2122\u2120\u00a9"))
# O'Brien is OBrien, but 5'10 is not 510.
_APOSTROPHE = regex.compile(r"(?<!\d)['`\u2018\u2019\u02bb\u02bc]|['`\u2018\u2019\u02bb\u02bc](?!\d)")
# J. R. R. Tolkien is J.R.R. Tolkien, and U.S.A. is USA. The joiner, a character that nobody types, keeps S. T. from
# being read as the abbreviation of saint.
_JOINER = "\u034f"
_INITIAL = regex.compile(r"(?<![\p{L}\p{M}\p{N}])(\p{L})\.\s*+(?=(\p{L})(?![\p{L}\p{M}\p{N}]))")
# A. Smith has an initial, no article; Smith, John V. has one too, and is no fifth.
_LAST_INITIAL = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}])a(?=\.(?:[\s,]|\p{L}|$))|[ivx](?=\.\s*+(?:[,;]|$))(?<=,[^,;]{1,30}\s.)"
)
# Gambia, The is the Gambia; vitamin A has no article.
_INVERTED_ARTICLE = regex.compile(r"(?<=\p{L}),\s++the\s*+$", regex.IGNORECASE)
_WORD = regex.compile(
    r"""(?V1)
    (?<![\p{L}\p{N}.])-(?=\.?\d)                   # the sign of -5, not the hyphen of A-5
    | \d++(?:st|nd|rd|th)(?![\p{L}\p{M}\p{N}])
    | \d{1,3}(?:,\d{3})++(?!\d)(?:\.\d++)?+
    | \d++(?:\.\d++)*+
    | [\p{L}\p{N}][\p{L}\p{M}\p{N}]*+
    | (?<=[\p{L}\p{N}])(?:\++|\#|-(?![\p{L}\p{N}\s]))
    | [%&\p{Sc}\p{So}[\p{Sm}--[\x00-\x7f]]]
    """,
    regex.VERBOSE,
)
_RESPELLED = {"&": "and", "-": "minus"}
_FIRST_NUMBER_WORDS = CARDINAL_WORDS | ORDINAL_WORDS | {"a"}
_NUMBER_WORDS = CARDINAL_WORDS | ORDINAL_WORDS | word_set("and a point half halve quarter oh o")
# A single letter is a numeral only where a ruler's number stands: Henry V of England, but Roe v Wade.
_BEHIND_A_NUMERAL = frozenset({"", "of", "and", "in", "or", "the"})
# Behind these, one and I are numbers; elsewhere they are pronouns.
_NUMBERED_THINGS = word_set(
    """number war part chapter volume formula act book season episode phase level stage type grade class section round
    tier channel group article schedule mark figure table grade force unit block zone"""
)
_NEVER_NUMERALS = frozenset({"xi", "liv"})
_BEFORE_A_DATE = word_set("on in at of by from to for until since during after before and or was is were are")


def normalised_text(answer: str) -> str:
    """The normalised words; numbers stay as written, without the commas of 1,000."""
    return _join(_words(answer), answer)


def canonical_text(answer: str) -> str:
    """The normalised words with numbers in digits and abbreviations in full.

    >>> canonical_text("forty-two members"), canonical_text("World War II"), canonical_text("St. Louis")
    ('42 members', 'world war 2', 'saint louis')
    """
    return _cached_canonical(answer) if len(answer) <= MAX_CACHED_CHARACTERS else _canonical(answer)


def _canonical(answer: str) -> str:
    words = _words(expand_text(_INVERTED_ARTICLE.sub("", answer)))
    if len(answer) <= MAX_EXPANDED_CHARACTERS:
        words = _numerals_in_digits(_number_words_in_digits(expand_words(words)))
    return _join(words, answer)


_cached_canonical = lru_cache(maxsize=4_000)(_canonical)


def _words(answer: str) -> list[str]:
    folded = _APOSTROPHE.sub("", fold(answer.translate(_TRADE_MARKS)))
    bare = _LAST_INITIAL.sub(rf"\g<0>{_JOINER}", _INITIAL.sub(rf"\1{_JOINER}", folded))
    return [_RESPELLED.get(word, word.replace(",", "")) for word in _WORD.findall(bare)]


def _join(words: list[str], answer: str) -> str:
    kept = [word for at, word in enumerate(words) if word not in _ARTICLES or not _is_word(_following(words, at))]
    return " ".join(kept or fold(answer).split()).replace(_JOINER, "")


def _following(words: list[str], at: int) -> str:
    return words[at + 1] if at + 1 < len(words) else ""


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _number_words_in_digits(words: list[str]) -> list[str]:
    counted: list[str] = []
    done = 0
    for at in [at for at, word in enumerate(words) if word in _FIRST_NUMBER_WORDS or word[0].isdigit()]:
        if at >= done and _may_start_a_number(words, at):
            length, spelling = _number_at(words, at)
            counted += words[done:at]
            counted += spelling
            done = at + length
    return [*counted, *words[done:]]


def _may_start_a_number(words: list[str], at: int) -> bool:
    """`one` alone is usually a pronoun: `no one` is not no. 1."""
    if words[at] not in {"one", "a"}:
        return True
    return _following(words, at) in MULTIPLIERS or (words[at] == "one" and _is_counting_one(words, at))


def _is_counting_one(words: list[str], at: int) -> bool:
    """Number one, World War One, one in three."""
    return (at > 0 and words[at - 1] in _NUMBERED_THINGS) or (_following(words, at) == "in" and at + 2 < len(words))


def _number_at(words: list[str], at: int) -> tuple[int, list[str]]:
    """The number of words of the longest number here, and its digits; the words themselves if there is none."""
    last = _end_of_run(words, at)
    if last == at + 1 and words[at].isdecimal():
        return 1, [words[at]]
    if last - at > _MAX_NUMBER_WORDS:
        return last - at, words[at:last]
    for end in range(last, at, -1):
        spelled = " ".join(words[at:end])
        value = parse_number(spelled)
        if value is not None:
            return end - at, [number_text(value)]
        rank = parse_ordinal(spelled)
        if rank is not None:
            return end - at, [ordinal_text(rank)]
    return 1, [words[at]]


def _end_of_run(words: list[str], at: int) -> int:
    """The end of the words that can belong to one number."""
    end = at + 1
    while end < len(words) and (words[end].removesuffix("s") in _NUMBER_WORDS or words[end][0].isdigit()):
        end += 1
    return end


def _numerals_in_digits(words: list[str]) -> list[str]:
    """Numerals and the numbers of rulers in digits: Louis XIV and Louis the 14th are louis 14."""
    numbered: list[str] = []
    for at, word in enumerate(words):
        if word == "war" and words[at - 1] == "world" and at > 1 and words[at - 2][0].isdigit():
            numbered[-2:] = ["world", "war", words[at - 2].rstrip("stndrh")]
        elif word[0].isdigit() and numbered and numbered[-1] == "the" and _is_regnal(words, at):
            numbered[-1] = word[:-2]
        else:
            numbered.append((word in ROMAN_NUMERALS and _numeral(words, at)) or word)
    return numbered


def _is_regnal(words: list[str], at: int) -> bool:
    """Whether a word is the number of a ruler: a name and an article before it, nothing or `of` behind it."""
    if at < 2 or not words[at][0].isdigit() or not words[at].endswith(("st", "nd", "rd", "th")):
        return False
    return words[at - 2].isalpha() and words[at - 2] not in _BEFORE_A_DATE and _following(words, at) in {"", "of"}


def _numeral(words: list[str], at: int) -> str | None:
    if at == 0 or not words[at - 1].isalpha() or words[at - 1] in _ARTICLES:
        return None
    value = str(ROMAN_NUMERALS[words[at]])
    if len(words[at]) > 1 and words[at] not in _NEVER_NUMERALS:
        return value
    numbers = words[at - 1] in _NUMBERED_THINGS or _following(words, at) in _BEHIND_A_NUMERAL
    return value if numbers and words[at] != "l" else None
