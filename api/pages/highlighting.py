"""Parts of a text, with those marked that something rests on."""

import re
from typing import NamedTuple


class Part(NamedTuple):
    """A part of a text, marked or not."""

    text: str
    marked: bool


def marked_at(text: str, start: int, end: int) -> list[Part]:
    """The text with its characters from `start` to `end` marked."""
    return _without_empty([Part(text[:start], False), Part(text[start:end], True), Part(text[end:], False)])


def marked_words(text: str, words: str) -> list[Part]:
    """The text with these words marked wherever they stand, in any case and with any spaces between them."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    if not pattern:
        return [Part(text, False)]
    pieces = re.split(rf"(?<!\w)({pattern})(?!\w)", text, flags=re.IGNORECASE)
    return _without_empty([Part(piece, place % 2 == 1) for place, piece in enumerate(pieces)])


def _without_empty(parts: list[Part]) -> list[Part]:
    return [part for part in parts if part.text]
