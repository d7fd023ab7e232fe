"""The only value that a text mentions: 3,559 in `it had 3,559 inhabitants`, 42 m in `the tower is 42 m tall`."""

import regex

from answering.equivalence.values import Value, ValueKind, parse_value
from answering.equivalence.values.number_words import ORDINAL_VOCABULARY, VOCABULARY
from answering.equivalence.vocabulary import tells_apart
from answering.text import compose, word_set

MAX_DIGIT_WORDS = 6
"""A text with more words that hold a digit mentions several values."""

_MAX_VALUE_WORDS = 5
_MONTH = regex.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:[a-z]{2,7})?[.,]?", regex.IGNORECASE)
_SIGN = regex.compile(r"[$€£¥₹~≈+-]?[$€£¥₹]?\.?\d")
_LETTERS = regex.compile(r"[^\p{L}\p{M}]++")
_NUMBER_WORDS = VOCABULARY | ORDINAL_VOCABULARY | {"half"}
_MAY_PRECEDE = word_set("in on at about by from around population total the it of is was were are")


def mentioned(answer: str) -> Value | None:
    """The only value in a longer text, if nothing in the text denies, bounds or names with it (Apollo 11)."""
    words = compose(answer).split()
    starts = [at for at, word in enumerate(words) if _may_start(words, at)]
    if not 0 < len(starts) <= MAX_DIGIT_WORDS or starts[-1] - starts[0] >= 2 * _MAX_VALUE_WORDS:
        return None
    found: list[tuple[int, int, Value]] = []
    for at in starts:
        if not found or at >= found[-1][1]:
            longest = _longest(words, at)
            if longest is None:
                return None
            found.append((at, *longest))
    if len(found) != 1:
        return None
    at, end, value = found[0]
    rest = words[:at] + words[end:]
    if any(map(tells_apart, filter(None, (_LETTERS.sub("", word).casefold() for word in rest)))):
        return None
    return None if _names_something(words, at, end, value) else value


def _may_start(words: list[str], at: int) -> bool:
    if _SIGN.match(words[at]) or _LETTERS.sub("", words[at]).casefold() in _NUMBER_WORDS:
        return True
    return bool(_MONTH.fullmatch(words[at])) and at + 1 < len(words) and words[at + 1][0].isdigit()


def _longest(words: list[str], at: int) -> tuple[int, Value] | None:
    for end in range(min(len(words), at + _MAX_VALUE_WORDS), at, -1):
        value = parse_value(" ".join(words[at:end]))
        if value is not None:
            return end, value
    return None


def _names_something(words: list[str], at: int, end: int, value: Value) -> bool:
    """Whether a bare number stands beside a capitalised word, as in Apollo 11 and 10 Downing Street."""
    if value.kind is not ValueKind.NUMBER:
        return False
    before = words[at - 1] if at else ""
    behind = words[end] if end < len(words) else ""
    named = before[:1].isupper() and before[-1].isalpha() and before.casefold() not in _MAY_PRECEDE
    return named or behind[:1].isupper() or before.casefold() == "number"
