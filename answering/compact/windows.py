"""Windows of a question and a part of a passage: tokens, the arrays a model takes, and the best span of a window.

Windows overlap, so that every answer lies whole in one of them. They are run one at a time: a batch leaves the
processor's cache and takes 1.4 times as long (measured), and dynamic quantisation would scale its rows together, so
that the result for a passage depended on the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

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


Ids = NDArray[np.int64]


def inputs(window: Window) -> dict[str, Ids]:
    """Each (1, tokens)."""
    ids, types = np.array([window.ids], dtype=np.int64), np.array([window.types], dtype=np.int64)
    return {"ids": ids, "mask": np.ones_like(ids), "types": types}


def encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Encoding]:
    """The tokens of each text; half a surrogate pair, which cannot be tokenised, is read as a question mark."""
    clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    encodings: list[Encoding] = tokenizer.encode_batch(clean, add_special_tokens=False)
    return encodings


Logits = NDArray[np.float32]
# Answers are short; RAMDocs' and SQuAD's longest are rarely longer.
LONGEST_TOKENS = 24


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens [first, last] of the passage, and how much better they score than the first token, which means none."""

    first: int
    last: int
    margin: float


def best_span(start: Logits, end: Logits, window: Window) -> Span:
    """The span of at most `LONGEST_TOKENS` tokens with the highest sum of logits (BERT, section 4.2)."""
    count = window.last - window.first
    inside = slice(window.offset, window.offset + count)
    starts, ends = start[inside], end[inside]
    none = float(start[0] + end[0])
    if count == 0:
        return Span(window.first, window.first, -np.inf)
    sums = [starts[: count - longer] + ends[longer:] for longer in range(min(LONGEST_TOKENS, count))]
    longer = int(np.argmax([some.max() for some in sums]))
    first = int(sums[longer].argmax())
    return Span(window.first + first, window.first + first + longer, float(sums[longer][first]) - none)
