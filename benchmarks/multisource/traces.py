"""Traces of an answer: words and numbers of it that a text still contains after the answer was replaced."""

from collections.abc import Iterable, Sequence

from answering.equivalence import parse_value
from answering.text import tokenize, word_set

# Words that reveal nothing of an answer.
SMALL_WORDS = word_set(
    "a an the of in on at to for from by with and or as is are was were be been it its their his her about around over "
    "under than more most less least up into per not no s"
)
_STEM_AT_LEAST = 4


def stem(token: str) -> str:
    """The beginning of a word, so that Germany is found in German: all but its last two letters."""
    return token if len(token) <= _STEM_AT_LEAST or token.isdigit() else token[: max(_STEM_AT_LEAST, len(token) - 2)]


def content_stems(texts: Iterable[str]) -> frozenset[str]:
    """The beginnings of all words but small ones."""
    return frozenset(stem(token) for text in texts for token in tokenize(text) if token not in SMALL_WORDS)


def traces(text: str, golds: Sequence[str], *, allowed: Sequence[str] = ()) -> frozenset[str]:
    """Words of the golds, and numbers worth the same, that stand in the text and not in `allowed`.

    `allowed` are the question, and the wrong answer that took the place of the right one.
    """
    ignored = SMALL_WORDS.union(*map(tokenize, allowed))
    stems = content_stems(golds) - content_stems(allowed)
    values = {value.key for gold in golds if (value := parse_value(gold)) is not None}
    return frozenset(
        token
        for token in tokenize(text)
        if token not in ignored and (_has_stem(token, stems) or _is_worth(token, values))
    )


def _has_stem(token: str, stems: frozenset[str]) -> bool:
    return stem(token) in stems or any(len(part) >= _STEM_AT_LEAST and token.startswith(part) for part in stems)


def _is_worth(token: str, values: set[str]) -> bool:
    value = parse_value(token) if values else None
    return value is not None and value.key in values
