"""The value in an answer that says more: 3,559 in `it had 3,559 inhabitants`, 42 m in `the tower is 42 m tall`."""

import regex

from answering.equivalence.spelling import is_distinguishing
from answering.equivalence.values import Value, ValueKind, parse_value
from answering.equivalence.values.number_words import CARDINAL_WORDS, ORDINAL_WORDS
from answering.text import compose, word_set

MAX_DIGIT_WORDS = 6
"""A text with more words that contain a digit has several values."""

_MAX_VALUE_WORDS = 5
_MONTH = regex.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:[a-z]{2,7})?[.,]?", regex.IGNORECASE)
_SIGN = regex.compile(r"[$€£¥₹~≈+-]?[$€£¥₹]?\.?\d")
_LETTERS = regex.compile(r"[^\p{L}\p{M}]++")
_NUMBER_WORDS = CARDINAL_WORDS | ORDINAL_WORDS | {"half"}
_NO_NAME_WORDS = word_set("in on at about by from around population total the it of is was were are")


def only_value_in(answer: str) -> Value | None:
    """The only value in a longer text, unless the text negates or bounds it or makes a name with it (Apollo 11).

    >>> only_value_in("The tower is 42 metres tall").key
    'quantity:42 m'
    """
    words = compose(answer).split()
    starts = [at for at, word in enumerate(words) if _may_start(words, at)]
    if not 0 < len(starts) <= MAX_DIGIT_WORDS or starts[-1] - starts[0] >= 2 * _MAX_VALUE_WORDS:
        return None
    spans: list[tuple[int, int, Value]] = []
    for at in starts:
        if not spans or at >= spans[-1][1]:
            longest = _longest_value(words, at)
            if longest is None:
                return None
            spans.append((at, *longest))
    if len(spans) != 1:
        return None
    at, end, value = spans[0]
    rest = words[:at] + words[end:]
    if any(map(is_distinguishing, filter(None, (_LETTERS.sub("", word).casefold() for word in rest)))):
        return None
    return None if _is_part_of_a_name(words, at, end, value) else value


def _may_start(words: list[str], at: int) -> bool:
    if _SIGN.match(words[at]) or _LETTERS.sub("", words[at]).casefold() in _NUMBER_WORDS:
        return True
    return bool(_MONTH.fullmatch(words[at])) and at + 1 < len(words) and words[at + 1][0].isdigit()


def _longest_value(words: list[str], at: int) -> tuple[int, Value] | None:
    for end in range(min(len(words), at + _MAX_VALUE_WORDS), at, -1):
        value = parse_value(" ".join(words[at:end]))
        if value is not None:
            return end, value
    return None


def _is_part_of_a_name(words: list[str], at: int, end: int, value: Value) -> bool:
    """Whether a bare number stands beside a capitalised word, as in Apollo 11 and 10 Downing Street."""
    if value.kind is not ValueKind.NUMBER:
        return False
    before = words[at - 1] if at else ""
    behind = words[end] if end < len(words) else ""
    named = before[:1].isupper() and before[-1].isalpha() and before.casefold() not in _NO_NAME_WORDS
    return named or behind[:1].isupper() or before.casefold() == "number"
