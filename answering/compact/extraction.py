"""Extraction: the best span of every window of some passages, with the scores that confidence is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from onnxruntime import InferenceSession
from tokenizers import Encoding, Tokenizer

from answering.compact.model import CompactModel
from answering.compact.windows import best_span, encoded, inputs, windows

# Set against a number, these are part of the answer: 51.6% is not 51.6.
_CURRENCIES = "$€£¥"
_UNITS = "%‰°"
_TRIMMED = " \t\n\r.,;:!?\"'“”‘’"  # noqa: RUF001  (quotation marks as people set them)


@dataclass(frozen=True, slots=True)
class Extract:
    """The best span of a window: characters [start, end) of a passage.

    `margin` is how much better it scores than no span, `answerable` the logit that the window holds an answer.
    """

    start: int
    end: int
    margin: float
    answerable: float


@dataclass(frozen=True, slots=True)
class Extracted:
    """One extract of each window of a passage that has one, and how many tokens were read."""

    extracts: tuple[Extract, ...]
    tokens: int


class Extractor:
    """A loaded pack of a reader; may be used by several threads at once. Raises `ModelDamaged`.

    Of so many pairs of a question and a passage, the last ones, it remembers what it found.
    """

    def __init__(self, pack: CompactModel, *, remembered: int = 0) -> None:
        self._tokenizer: Tokenizer = pack.tokenizer()
        self._session: InferenceSession = pack.session()
        self._window_tokens = pack.window_tokens
        self._extracted = lru_cache(remembered)(self._read) if remembered else self._read

    def extract(self, question: str, passages: Sequence[str]) -> list[Extracted]:
        """What was found in each passage, whatever the others are."""
        return [self._extracted(question, passage) for passage in passages]

    def _read(self, question: str, passage: str) -> Extracted:
        asked, told = encoded(self._tokenizer, [question, passage])
        found, tokens = [], 0
        for window in windows(asked.ids, told.ids, most=self._window_tokens):
            starts, ends, answerable = self._session.run(None, inputs(window))
            span = best_span(starts[0], ends[0], window)
            start, end = characters(passage, told, span.first, span.last)
            tokens += len(window.ids)
            if start < end:
                found.append(Extract(start, end, span.margin, float(answerable[0])))
        return Extracted(tuple(found), tokens)


def characters(passage: str, encoded: Encoding, first: int, last: int) -> tuple[int, int]:
    """The characters of tokens [first, last], grown to whole words and signs of numbers, without marks around."""
    tokens, offsets = encoded.tokens, encoded.offsets
    if not offsets:
        return 0, 0
    while first > 0 and tokens[first].startswith("##"):
        first -= 1
    while last + 1 < len(tokens) and tokens[last + 1].startswith("##"):
        last += 1
    start, end = offsets[first][0], offsets[last][1]
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
