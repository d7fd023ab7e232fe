"""Extraction: the best span of every window of some passages, with the scores that confidence is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from onnxruntime import InferenceSession
from tokenizers import Encoding, Tokenizer

from answering.compact.batches import batched
from answering.compact.pack import Pack
from answering.compact.spans import best_span
from answering.compact.windows import windows

# Set against a number, these are part of the answer: 51.6% is not 51.6.
_CURRENCIES = "$€£¥"
_UNITS = "%‰°"
_TRIMMED = " \t\n\r.,;:!?\"'“”‘’"  # noqa: RUF001  (quotation marks as people set them)


@dataclass(frozen=True, slots=True)
class Extract:
    """The best span of a window: characters [start, end) of a passage.

    `margin` is how much better it scores than no span, `answerable` the logit that the window holds an answer.
    """

    passage: int
    start: int
    end: int
    margin: float
    answerable: float


class Extractor:
    """A loaded pack of a reader; may be used by several threads at once. Raises `ModelDamaged`."""

    def __init__(self, pack: Pack) -> None:
        self._tokenizer: Tokenizer = pack.tokenizer()
        self._session: InferenceSession = pack.session()
        self._window_tokens = pack.window_tokens

    def extract(self, question: str, passages: Sequence[str]) -> tuple[list[Extract], int]:
        """One extract of each window that has one, and how many tokens were read."""
        asked = self._tokenizer.encode(question, add_special_tokens=False).ids
        encoded = self._tokenizer.encode_batch(list(passages), add_special_tokens=False)
        owners = [
            (place, window)
            for place, passage in enumerate(encoded)
            for window in windows(asked, passage.ids, most=self._window_tokens)
        ]
        found = []
        for places, inputs in batched([window for _, window in owners]):
            starts, ends, answerable = self._session.run(None, inputs)
            for row, at in enumerate(places):
                passage, window = owners[at]
                span = best_span(starts[row], ends[row], window)
                start, end = characters(passages[passage], encoded[passage], span.first, span.last)
                if start < end:
                    found.append(Extract(passage, start, end, span.margin, float(answerable[row])))
        return found, sum(len(window.ids) for _, window in owners)


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
