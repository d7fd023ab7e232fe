"""Passages that a model writes from memory."""

import re

from answering.debates.parsing.replies import MARKS, refuses, unwrapped
from answering.debates.quoting import sanitized

MAX_PASSAGE_CHARACTERS = 1_500
SHORTEST_PASSAGE_WORDS = 4
_HEADING = re.compile(
    rf"^{MARKS}(?:(?:passage|document)[ \t]*\d*[*_]*[ \t]*[:.)]|\d{{1,2}}[.)])[*_]*[ \t]*", re.IGNORECASE | re.MULTILINE
)


def parse_passages(reply: str, most: int) -> tuple[str, ...] | None:
    """The passages after `Passage 1:`, `Passage 2:`, ..., or the whole reply; none where the model does not know.

    What follows the `most`th passage is left out, and so is a passage that says that there is nothing to say.
    """
    text = unwrapped(reply)
    if not text:
        return None
    parts = [part for part in _HEADING.split(text) if part.strip()]
    kept = [sanitized(part, MAX_PASSAGE_CHARACTERS) for part in parts if not _says_nothing(part)]
    return tuple(kept[:most])


def _says_nothing(part: str) -> bool:
    first = re.split(r"(?<=[.!?])\s", part.strip(), maxsplit=1)[0]
    return len(part.split()) < SHORTEST_PASSAGE_WORDS or refuses(first) or "don't know" in first.lower()
