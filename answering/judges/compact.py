"""Judging with a small encoder of our own, on this machine: hundredths of a second a passage on one core."""

import asyncio
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers import Encoding, Tokenizer

from answering.compact.batches import Ids, batched
from answering.compact.pack import Pack
from answering.compact.spans import best_span
from answering.compact.windows import Window, windows
from answering.errors import ReaderUnavailable
from answering.judges.calibration import Calibration
from answering.judges.claims import answer_stands
from answering.judges.port import Judgement, Label, Pair
from answering.judges.sentences import sentence_at
from answering.readers.port import Usage

WEIGHTS = Path(__file__).parent / "weights"
LABELS = (Label.SUPPORTS, Label.CONTRADICTS, Label.IRRELEVANT)
"""In the order of the model's outputs; of equals the first wins, so that support in part is support."""
CLAIM_TOKENS = 112
_NOTHING = np.array([0.0, 0.0, 1.0])
# Whatever else changes the judgements is counted here.
REVISION = 2
# A claim or passage beyond this is none; cutting keeps hostile input from taking minutes.
MAX_CLAIM_CHARACTERS = 4_000
MAX_PASSAGE_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class _Seen:
    """One window of one pair, and the tokens of its whole passage."""

    pair: int
    window: Window
    passage: Encoding


@dataclass(frozen=True, slots=True)
class _Judged:
    """One window: the probabilities of the labels, and where in the passage it found what it judged (characters)."""

    pair: int
    probabilities: NDArray[np.float64]
    place: tuple[int, int]


class CompactJudge:
    """Loads its weights once, at the first pair; judges in batches, one a thread, off the event loop.

    A long passage is judged window by window: the strongest support and the strongest contradiction count, and it is
    irrelevant only where every window is.
    """

    def __init__(self, folder: Path = WEIGHTS, *, threads: int | None = None) -> None:
        self._pack = Pack.open(folder)
        self._calibration = Calibration.of(self._pack.settings)
        self._threads = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="compact-judge")
        self._closed = False
        self._loading = Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        self.name = f"compact:{self._pack.name}:{self._pack.fingerprint[:12]}:{REVISION}"

    async def judge_all(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """Raises `ModelDamaged` if the weights are not those that were trained."""
        if self._closed:
            raise ReaderUnavailable("The compact judge is closed.")
        run, began = asyncio.get_running_loop().run_in_executor, time.perf_counter()
        seen = await run(self._threads, self._seen, pairs)
        batches = batched([one.window for one in seen])
        judged = await asyncio.gather(*(run(self._threads, self._judge, seen, *batch) for batch in batches))
        ordered = sorted((one for some in judged for one in some), key=lambda one: one.pair)
        found = _judgements(pairs, ordered, self._calibration)
        return _billed(found, seen, (time.perf_counter() - began) * 1000)

    async def aclose(self) -> None:
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _seen(self, pairs: Sequence[Pair]) -> list[_Seen]:
        tokenizer, _ = self._load()
        claims = _encoded(tokenizer, [pair.claim[:MAX_CLAIM_CHARACTERS] for pair in pairs])
        passages = _encoded(tokenizer, [pair.passage[:MAX_PASSAGE_CHARACTERS] for pair in pairs])
        return [
            _Seen(place, window, passage)
            for place, (claim, passage) in enumerate(zip(claims, passages, strict=True))
            for window in windows(claim.ids, passage.ids, most=self._pack.window_tokens, longest=CLAIM_TOKENS)
        ]

    def _judge(self, seen: Sequence[_Seen], places: Sequence[int], inputs: Mapping[str, Ids]) -> list[_Judged]:
        _, session = self._load()
        labels, starts, ends = session.run(None, dict(inputs))
        probabilities = self._calibration.probabilities(labels)
        return [_judged(seen[at], probabilities[row], starts[row], ends[row]) for row, at in enumerate(places)]

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._pack.tokenizer(), self._pack.session()
            return self._loaded


def combined(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """(windows, 3) to (3,): the most support, the most contradiction, the least irrelevance, summing to 1."""
    strongest = np.append(probabilities[:, :2].max(axis=0), probabilities[:, 2].min())
    return np.asarray(strongest / strongest.sum())


def _encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Encoding]:
    # Half a surrogate pair cannot be tokenised, and no passage holds one.
    clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    encodings: list[Encoding] = tokenizer.encode_batch(clean, add_special_tokens=False)
    return encodings


def _judged(
    one: _Seen, probabilities: NDArray[np.float64], starts: NDArray[np.float32], ends: NDArray[np.float32]
) -> _Judged:
    """A passage without a word says nothing, whatever the network makes of the claim alone."""
    offsets = one.passage.offsets
    if not offsets:
        return _Judged(one.pair, _NOTHING, (0, 0))
    span = best_span(starts, ends, one.window)
    return _Judged(one.pair, probabilities, (offsets[span.first][0], offsets[span.last][1]))


def _judgements(pairs: Sequence[Pair], judged: Sequence[_Judged], calibration: Calibration) -> Iterator[Judgement]:
    """One for every pair; what was judged comes in the order of the pairs."""
    for place, some in groupby(judged, key=lambda one: one.pair):
        pair, windows = pairs[place], list(some)
        stands = answer_stands(pair.claim[:MAX_CLAIM_CHARACTERS], pair.passage[:MAX_PASSAGE_CHARACTERS])
        found = combined(np.array([window.probabilities for window in windows]))
        witness = np.array([np.nan if stands is None else float(stands)])
        yield _judgement(windows, calibration.with_witness(found[None, :], witness)[0], pair.passage)


def _judgement(windows: Sequence[_Judged], found: NDArray[np.float64], passage: str) -> Judgement:
    best = int(found.argmax())
    label = LABELS[best]
    start, end = max(windows, key=lambda window: float(window.probabilities[best])).place
    evidence = sentence_at(passage, start, end) if label is not Label.IRRELEVANT and start < end else None
    supports, contradicts, irrelevant = found.tolist()
    return Judgement(label, supports, contradicts, irrelevant, evidence)


def _billed(judgements: Iterator[Judgement], seen: Sequence[_Seen], milliseconds: float) -> list[Judgement]:
    """Every judgement with its tokens, and its share of the time by them."""
    tokens = {pair: sum(len(one.window.ids) for one in some) for pair, some in groupby(seen, key=lambda one: one.pair)}
    share = milliseconds / max(sum(tokens.values()), 1)
    return [
        replace(judgement, usage=Usage(input_tokens=tokens[pair], milliseconds=share * tokens[pair]))
        for pair, judgement in enumerate(judgements)
    ]
