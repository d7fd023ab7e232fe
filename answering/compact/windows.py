"""Windows: a question beside as much of a passage as fits, overlapping, so that every answer lies whole in one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# BERT's tokens for the beginning and for the border between question and passage.
CLS = 101
SEP = 102
# A longer question would leave too little room for the passage.
QUESTION_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids `[CLS] question [SEP] passage[first:last] [SEP]`; the passage's tokens begin at `offset`."""

    ids: tuple[int, ...]
    offset: int
    first: int
    last: int

    @property
    def types(self) -> list[int]:
        """0 for the question's tokens, 1 for those of the passage."""
        return [0] * self.offset + [1] * (len(self.ids) - self.offset)


def windows(
    question: Sequence[int], passage: Sequence[int], *, most: int, overlap: int = 64, longest: int = QUESTION_TOKENS
) -> Iterator[Window]:
    """Windows of at most `most` tokens, each sharing `overlap` tokens of the passage with the one before.

    Of the question no more than the first `longest` tokens are shown.
    """
    asked = question[:longest]
    room = most - len(asked) - 3
    for first in range(0, max(len(passage) - overlap, 1), room - overlap):
        some = passage[first : first + room]
        yield Window((CLS, *asked, SEP, *some, SEP), len(asked) + 2, first, first + len(some))
