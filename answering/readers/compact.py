"""The compact reader: a small encoder of our own that copies a span of the passages, or abstains.

It needs no language model, no network and a few milliseconds a passage. Its confidence is calibrated: of the answers
given at 0.8, about eight in ten are in the passage (logistic regression on development data, Platt 1999).
"""

import asyncio
import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from onnxruntime import InferenceSession
from tokenizers import Encoding, Tokenizer

from answering.compact.batches import batched
from answering.compact.pack import Pack
from answering.compact.spans import best_span
from answering.compact.windows import windows
from answering.errors import ReaderUnavailable
from answering.readers.port import Location, Reading, Usage

WEIGHTS = Path(__file__).parent.parent / "compact" / "reader"
IDK = "IDK"
# Whatever else changes the replies is counted here.
REVISION = 1
# A question or passage beyond this is no question or passage; cutting keeps hostile input from taking minutes.
MAX_QUESTION_CHARACTERS = 2_000
MAX_PASSAGE_CHARACTERS = 20_000
_TRIMMED = " \t\n\r.,;:!?\"'“”‘’"  # noqa: RUF001  (quotation marks as people set them)


@dataclass(frozen=True, slots=True)
class Found:
    """The best span of a window: the passage and its characters [start, end), and how sure the model is."""

    passage: int
    start: int
    end: int
    confidence: float


class CompactReader:
    """Reads on a few threads of its own, one window batch a thread; loads its pack at the first reading."""

    def __init__(self, folder: Path = WEIGHTS, *, threads: int | None = None) -> None:
        self._pack = Pack.open(folder)
        self._threads = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="compact-reader")
        self._closed = False
        self._loading = Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        self.name = f"compact:{self._pack.name}:{REVISION}"
        self.prompt_hash = self._pack.fingerprint

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        """Raises `ModelDamaged` if the weights are not those that were trained."""
        if self._closed:
            raise ReaderUnavailable("The compact reader is closed.")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, question, passages)

    async def aclose(self) -> None:
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _read(self, question: str, passages: Sequence[str]) -> Reading:
        began = time.perf_counter()
        texts = [passage[:MAX_PASSAGE_CHARACTERS] for passage in passages]
        found, tokens = self._find(question[:MAX_QUESTION_CHARACTERS], texts)
        usage = Usage(input_tokens=tokens, milliseconds=(time.perf_counter() - began) * 1000)
        best = max(found, key=lambda one: one.confidence, default=None)
        if best is None or best.confidence < self._pack.settings["threshold"]:
            return Reading(None, IDK, best.confidence if best else 0.0, usage)
        answer = texts[best.passage][best.start : best.end]
        return Reading(answer, answer, best.confidence, usage, Location(best.passage, best.start, best.end))

    def _find(self, question: str, passages: Sequence[str]) -> tuple[list[Found], int]:
        """The best span of every window, and how many tokens were read."""
        tokenizer, session = self._load()
        asked = tokenizer.encode(question, add_special_tokens=False).ids
        encoded = tokenizer.encode_batch(list(passages), add_special_tokens=False)
        owners = [
            (place, window)
            for place, passage in enumerate(encoded)
            for window in windows(asked, passage.ids, most=self._pack.window_tokens)
        ]
        found = []
        for places, inputs in batched([window for _, window in owners]):
            starts, ends, answerable = session.run(None, inputs)
            for row, at in enumerate(places):
                passage, window = owners[at]
                span = best_span(starts[row], ends[row], window)
                start, end = _characters(passages[passage], encoded[passage], span.first, span.last)
                if start < end:
                    confidence = self._confidence(span.margin, float(answerable[row]))
                    found.append(Found(passage, start, end, confidence))
        return found, sum(len(window.ids) for _, window in owners)

    def _confidence(self, margin: float, answerable: float) -> float:
        settings = self._pack.settings
        logit = settings["bias"] + settings["margin"] * margin + settings["answerable"] * answerable
        return 1 / (1 + math.exp(-min(max(logit, -50.0), 50.0)))

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._pack.tokenizer(), self._pack.session()
            return self._loaded


def _characters(passage: str, encoded: Encoding, first: int, last: int) -> tuple[int, int]:
    """The characters of tokens [first, last], grown to whole words, without marks around them."""
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
    return start, end
