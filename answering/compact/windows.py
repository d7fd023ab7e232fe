"""Windows of a question and a part of a passage: tokens, the arrays a model takes, and the best span of a window.

Every window of a passage begins with its context, a title for example, in which no span is looked for.

Windows overlap, so that every answer lies whole in one of them. They are run one at a time: a batch leaves the
processor's cache and takes 1.4 times as long (measured), and dynamic quantisation would scale its rows together, so
that the result for a passage depended on the others. So nothing is padded, and models take no mask.
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
CONTEXT_TOKENS = 32
# Answers are short; RAMDocs' and SQuAD's longest are rarely longer.
MAX_SPAN_TOKENS = 24


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids `[CLS] question [SEP] context passage[first:last] [SEP]`: the context begins at `behind_question`, the
    passage's tokens at `offset`.
    """

    ids: tuple[int, ...]
    behind_question: int
    offset: int
    first: int
    last: int

    @property
    def types(self) -> list[int]:
        """0 for the tokens of the question, 1 for those of context and passage."""
        return [0] * self.behind_question + [1] * (len(self.ids) - self.behind_question)

    @property
    def inputs(self) -> dict[str, NDArray[np.int64]]:
        """The inputs of a model, each of shape (1, tokens)."""
        ids, types = np.array([self.ids], dtype=np.int64), np.array([self.types], dtype=np.int64)
        return {"ids": ids, "types": types}


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """Tokens [first, last] of a passage; `margin` is by how much their logits exceed those of no span."""

    first: int
    last: int
    margin: float


def encode(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Encoding]:
    """The tokens of each text; a lone surrogate, which has no token, counts as a question mark."""
    encodable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    encodings: list[Encoding] = tokenizer.encode_batch(encodable, add_special_tokens=False)
    return encodings


def windows(
    question: Sequence[int],
    passage: Sequence[int],
    *,
    max_tokens: int,
    context: Sequence[int] = (),
    overlap: int = 64,
    question_tokens: int = QUESTION_TOKENS,
    marks: tuple[int, int] = (CLS, SEP),
) -> Iterator[Window]:
    """Windows of at most `max_tokens` tokens, each sharing `overlap` tokens of the passage with the one before.

    Of the question only the first `question_tokens` tokens are used, of the context the first `CONTEXT_TOKENS`. `marks`
    are the tokens for the beginning and for a border.
    """
    question, context = question[:question_tokens], context[:CONTEXT_TOKENS]
    begin, border = marks
    behind_question = len(question) + 2
    offset = behind_question + len(context)
    room = max_tokens - offset - 1
    for first in range(0, max(len(passage) - overlap, 1), room - overlap):
        part = passage[first : first + room]
        ids = (begin, *question, border, *context, *part, border)
        yield Window(ids, behind_question, offset, first, first + len(part))


def best_span(start: NDArray[np.float32], end: NDArray[np.float32], window: Window) -> TokenSpan:
    """The first of `best_spans`; for an empty passage an empty place with a margin of minus infinity."""
    return next(best_spans(start, end, window), TokenSpan(window.first, window.first, -np.inf))


def best_spans(
    start: NDArray[np.float32], end: NDArray[np.float32], window: Window, borders: Sequence[int] = ()
) -> Iterator[TokenSpan]:
    """Spans of at most `MAX_SPAN_TOKENS` tokens that do not overlap, by descending sum of start and end logits.

    No span holds a token of the passage that is in `borders` together with the token before it.
    The logits of the first token stand for no span (Devlin et al. 2019, section 4.3, arXiv:1810.04805).
    """
    count = window.last - window.first
    lengths = min(MAX_SPAN_TOKENS, count)
    sums = np.full((lengths, count), -np.inf, dtype=np.float32)  # row: tokens after the first, column: first token
    for extra in range(lengths):
        inside = slice(window.offset + extra, window.offset + count)
        sums[extra, : count - extra] = start[window.offset : window.offset + count - extra] + end[inside]
    for border in borders:
        behind = border - window.first
        if 0 < behind < count:
            for extra in range(1, lengths):
                sums[extra, max(behind - extra, 0) : behind] = -np.inf
    null = float(start[0] + end[0])
    while sums.size and np.isfinite(best := float(sums.max())):
        extra, first = map(int, np.unravel_index(sums.argmax(), sums.shape))
        yield TokenSpan(window.first + first, window.first + first + extra, best - null)
        for shorter in range(lengths):
            sums[shorter, max(first - shorter, 0) : first + extra + 1] = -np.inf
