"""Judging with a small encoder of our own, on this machine: hundredths of a second a passage on one core."""

import asyncio
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers import Encoding, Tokenizer

from answering.compact.model import CompactModel
from answering.compact.windows import Window, best_span, encoded, inputs, windows
from answering.errors import ModelUnavailable
from answering.judges.calibration import Calibration
from answering.judges.judge import Judgement, Label, Pair, answer_stands
from answering.judges.quotes import sentence_at
from answering.models.usage import Usage

WEIGHTS = Path(__file__).parent / "weights"
LABELS = (Label.SUPPORTS, Label.CONTRADICTS, Label.IRRELEVANT)
"""In the order of the model's outputs; of equals the first wins, so that support in part is support."""
CLAIM_TOKENS = 112
_NOTHING = np.array([0.0, 0.0, 1.0])
# Whatever else changes the judgements is counted here.
REVISION = 3
# A claim or passage beyond this is none; cutting keeps hostile input from taking minutes.
MAX_CLAIM_CHARACTERS = 4_000
MAX_PASSAGE_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class _Judged:
    """One window: the probabilities of the labels, and where in the passage it found what it judged (characters)."""

    probabilities: NDArray[np.float64]
    place: tuple[int, int]


class CompactJudge:
    """Loads its weights once, at the first pair; judges on a few threads of its own, one pair a thread.

    A long passage is judged window by window: the strongest support and the strongest contradiction count, and it is
    irrelevant only where every window is.
    """

    def __init__(self, folder: Path = WEIGHTS, *, threads: int | None = None) -> None:
        self._pack = CompactModel.open(folder)
        self._calibration = Calibration.of(self._pack.settings)
        self._threads = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="compact-judge")
        self._closed = False
        self._loading = Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        self.name = f"compact:{self._pack.name}:{self._pack.fingerprint[:12]}:{REVISION}"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """Raises `ModelDamaged` if the weights are not those that were trained."""
        if self._closed:
            raise ModelUnavailable("The compact judge is closed.")
        run = asyncio.get_running_loop().run_in_executor
        return list(await asyncio.gather(*(run(self._threads, self._judge, pair) for pair in pairs)))

    async def aclose(self) -> None:
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _judge(self, pair: Pair) -> Judgement:
        began = time.perf_counter()
        tokenizer, _ = self._load()
        claim, passage = pair.claim[:MAX_CLAIM_CHARACTERS], pair.passage[:MAX_PASSAGE_CHARACTERS]
        asked, told = encoded(tokenizer, [claim, passage])
        shown = list(windows(asked.ids, told.ids, most=self._pack.window_tokens, longest=CLAIM_TOKENS))
        judged = [self._judged(window, told) for window in shown]
        stands = answer_stands(claim, passage)
        found = combined(np.array([one.probabilities for one in judged]))
        witness = np.array([np.nan if stands is None else float(stands)])
        found = self._calibration.with_witness(found[None, :], witness)[0]
        tokens = sum(len(window.ids) for window in shown)
        usage = Usage(input_tokens=tokens, milliseconds=(time.perf_counter() - began) * 1000)
        return _judgement(judged, found, pair.passage, usage)

    def _judged(self, window: Window, passage: Encoding) -> _Judged:
        """A passage without a word says nothing, whatever the network makes of the claim alone."""
        if not passage.offsets:
            return _Judged(_NOTHING, (0, 0))
        _, session = self._load()
        labels, starts, ends = session.run(None, inputs(window))
        span = best_span(starts[0], ends[0], window)
        place = (passage.offsets[span.first][0], passage.offsets[span.last][1])
        return _Judged(self._calibration.probabilities(labels)[0], place)

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._pack.tokenizer(), self._pack.session()
            return self._loaded


def combined(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """(windows, 3) to (3,): the most support, the most contradiction, the least irrelevance, summing to 1."""
    strongest = np.append(probabilities[:, :2].max(axis=0), probabilities[:, 2].min())
    return np.asarray(strongest / strongest.sum())


def _judgement(judged: Sequence[_Judged], found: NDArray[np.float64], passage: str, usage: Usage) -> Judgement:
    best = int(found.argmax())
    label = LABELS[best]
    start, end = max(judged, key=lambda one: float(one.probabilities[best])).place
    evidence = sentence_at(passage, start, end) if label is not Label.IRRELEVANT and start < end else None
    supports, contradicts, irrelevant = found.tolist()
    return Judgement(label, supports, contradicts, irrelevant, evidence, usage=usage)
