"""Extractive question answering: the best spans of every window of a passage, with their scores."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers import Encoding, Tokenizer

from answering.compact.model import CompactModel
from answering.compact.windows import CLS, SEP, Window, best_spans, encode, windows
from answering.text.sentences import line_ends

Logits: TypeAlias = NDArray[np.float32]

# The best span may not be of the kind that is asked for; one of so many then is.
SPANS = 5
# Next to a number, these are part of the answer: 51.6% is not 51.6.
_CURRENCIES = "$€£¥"
_UNITS = "%‰°"
_TRIMMED = " \t\n\r.,;:!?\"'“”‘’"  # noqa: RUF001  (quotation marks as people set them)


@dataclass(frozen=True, slots=True)
class ExtractedSpan:
    """A span of a window: characters [start, end) of a passage.

    `margin` is by how much it scores better than no span, `answerable` the logit that the window holds an answer.
    """

    start: int
    end: int
    margin: float
    answerable: float


@dataclass(frozen=True, slots=True)
class Extraction:
    """The spans of each window that has any, the best first."""

    windows: tuple[tuple[ExtractedSpan, ...], ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a passage: their numbers, and the characters [start, end) that each stands for."""

    ids: Sequence[int]
    offsets: Sequence[tuple[int, int]]
    inside_words: Sequence[bool]
    """Whether a span that begins at the token begins inside a word, which it then holds whole."""


class SpanModel(Protocol):
    """A model that says where in a window an answer starts and ends; safe for use by several threads at once."""

    @property
    def window_tokens(self) -> int: ...

    @property
    def marks(self) -> tuple[int, int]:
        """The tokens for the beginning of a window and for a border in it."""
        ...

    def tokens(self, question: str, passage: str, context: str) -> tuple[Sequence[int], Tokens, Sequence[int]]:
        """Those of the question, of the passage and of its context."""
        ...

    def logits(self, window: Window) -> tuple[Logits, Logits, float]:
        """That an answer starts at each token and ends there, the first standing for none; that there is one."""
        ...


class BertSpanModel:
    """A model whose pack is whole: its tokenizer, and all its layers. Raises `ModelDamaged`."""

    marks = (CLS, SEP)

    def __init__(self, model: CompactModel) -> None:
        self._tokenizer: Tokenizer = model.tokenizer()
        self._session: InferenceSession = model.session()
        self.window_tokens = model.window_tokens

    def tokens(self, question: str, passage: str, context: str) -> tuple[Sequence[int], Tokens, Sequence[int]]:
        asked, encoding, above = encode(self._tokenizer, [question, passage, context])
        return asked.ids, bert_tokens(encoding), above.ids

    def logits(self, window: Window) -> tuple[Logits, Logits, float]:
        starts, ends, answerable = self._session.run(None, window.inputs)
        return starts[0], ends[0], float(answerable[0])


def bert_tokens(encoding: Encoding) -> Tokens:
    """The tokens of an encoding by word pieces."""
    return Tokens(encoding.ids, encoding.offsets, [token.startswith("##") for token in encoding.tokens])


class Extractor:
    """Extracts the spans of passages by a model; safe for use by several threads at once.

    `cache_size` is for how many pairs of a question and a passage (with its context) it keeps the extraction.
    """

    def __init__(self, model: SpanModel, *, cache_size: int = 0) -> None:
        self._model = model
        self._cached = lru_cache(cache_size)(self._extract) if cache_size else self._extract

    def extract(self, question: str, passage: str, context: str = "") -> Extraction:
        """The spans of a passage, which stands below its context."""
        return self._cached(question, passage, context)

    def _extract(self, question: str, passage: str, context: str) -> Extraction:
        model = self._model
        asked, tokens, above = model.tokens(question, passage, context)
        # A headline and the text below it share no answer, nor do two items of a list.
        beginnings = [start for start, _ in tokens.offsets]
        borders = [bisect_left(beginnings, end) for end in line_ends(passage)]
        extracted = []
        for window in windows(asked, tokens.ids, context=above, max_tokens=model.window_tokens, marks=model.marks):
            starts, ends, answerable = model.logits(window)
            ranked = []
            for span in islice(best_spans(starts, ends, window, borders), SPANS):
                start, end = answer_characters(passage, tokens, span.first, span.last)
                if start < end:
                    ranked.append(ExtractedSpan(start, end, span.margin, answerable))
            if ranked:
                extracted.append(tuple(ranked))
        return Extraction(tuple(extracted))


def answer_characters(passage: str, tokens: Tokens, first: int, last: int) -> tuple[int, int]:
    """The characters [start, end) of tokens [first, last], extended to whole words and signs of numbers."""
    if not tokens.offsets:
        return 0, 0
    while first > 0 and tokens.inside_words[first]:
        first -= 1
    while last + 1 < len(tokens.ids) and tokens.inside_words[last + 1]:
        last += 1
    start, end = tokens.offsets[first][0], tokens.offsets[last][1]
    while start < end and passage[start] in _TRIMMED:
        start += 1
    while end > start and passage[end - 1] in _TRIMMED:
        end -= 1
    return _with_signs(passage, start, end)


def _with_signs(passage: str, start: int, end: int) -> tuple[int, int]:
    if start < end and passage[start].isdigit() and passage[start - 1 : start] in tuple(_CURRENCIES):
        start -= 1
    if start < end and passage[end - 1].isdigit() and passage[end : end + 1] in tuple(_UNITS):
        end += 1
    return start, end
