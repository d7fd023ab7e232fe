"""The words of an answer that is no value, so that two answers of the same words are spelled the same.

This is SQuAD's normalisation (case, punctuation, articles, white space), except that nothing is dropped that
tells two answers apart: a decimal point, a minus sign, the + of C++, the % of 50 %, an article that stands last.
"""

import regex

from answering.text import fold
from answering.values.number_words import MULTIPLIERS, ORDINAL_VOCABULARY, VOCABULARY
from answering.values.numbers import number, ordinal
from answering.values.value import number_text, ordinal_text

MAX_COUNTED_CHARACTERS = 2_000
"""In longer texts, number words stay words: they are prose, and looking for numbers in them costs time."""

_MAX_NUMBER_WORDS = 12
_ARTICLES = frozenset({"a", "an", "the"})
_TRADE_MARKS = dict.fromkeys(map(ord, "\u00ae\u2122\u2120\u00a9"))
# O'Brien is OBrien, but 5'10 is not 510.
_APOSTROPHE = regex.compile(r"(?<!\d)['`\u2018\u2019\u02bc]|['`\u2018\u2019\u02bc](?!\d)")
# J. R. R. Tolkien is J.R.R. Tolkien, and U.S.A. is USA.
_INITIAL = regex.compile(r"(?<![\p{L}\p{M}\p{N}])(\p{L})\.\s*+(?=(\p{L})(?![\p{L}\p{M}\p{N}]))")
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


def exact_wording(answer: str) -> str:
    """The normalised words, numbers as they were written but for the commas in 1,000."""
    return _joined(_words(answer), answer)


def counted_wording(answer: str) -> str:
    """The normalised words with the numbers among them in digits: forty-two members is 42 members."""
    words = _words(answer)
    return _joined(_in_digits(words) if len(answer) <= MAX_COUNTED_CHARACTERS else words, answer)


def _words(answer: str) -> list[str]:
    bare = _INITIAL.sub(r"\1", _APOSTROPHE.sub("", fold(answer.translate(_TRADE_MARKS))))
    return [_RESPELLED.get(word, word.replace(",", "")) for word in _WORD.findall(bare)]


def _joined(words: list[str], answer: str) -> str:
    kept = [word for at, word in enumerate(words) if word not in _ARTICLES or not _is_word(_following(words, at))]
    return " ".join(kept or fold(answer).split())


def _following(words: list[str], at: int) -> str:
    return words[at + 1] if at + 1 < len(words) else ""


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _in_digits(words: list[str]) -> list[str]:
    counted: list[str] = []
    at = 0
    while at < len(words):
        length, spelling = _number_at(words, at) if _may_start_a_number(words, at) else (1, words[at])
        counted.append(spelling)
        at += length
    return counted


def _may_start_a_number(words: list[str], at: int) -> bool:
    word = words[at]
    if word in {"one", "a"}:  # alone, one is most often a pronoun: no one is not no. 1
        return _following(words, at) in MULTIPLIERS
    return word[0].isdigit() or word in VOCABULARY or word in ORDINAL_VOCABULARY


def _number_at(words: list[str], at: int) -> tuple[int, str]:
    """How many words the longest number here takes, and its digits; one word as it stands if there is none."""
    for end in range(min(len(words), at + _MAX_NUMBER_WORDS), at, -1):
        spelled = " ".join(words[at:end])
        value = number(spelled)
        if value is not None:
            return end - at, number_text(value)
        rank = ordinal(spelled)
        if rank is not None:
            return end - at, ordinal_text(rank)
    return 1, words[at]
