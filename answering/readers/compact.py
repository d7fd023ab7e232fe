"""The compact reader: a small encoder of our own that copies a span of the passages, or abstains.

It needs no language model, no network and hundredths of a second a passage. Its confidence is the probability that the
answer is right, by a logistic regression fitted to development data (Platt 1999).
"""

import asyncio
import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from answering.compact.extraction import Extract, Extractor
from answering.compact.model import CompactModel
from answering.equivalence import answer_key
from answering.errors import ModelUnavailable
from answering.readers.reader import Location, Reading, Usage

WEIGHTS = Path(__file__).parent.parent / "compact" / "reader"
IDK = "IDK"
# Whatever else changes the replies is counted here.
REVISION = 4
# A question or passage beyond this is no question or passage; cutting keeps hostile input from taking minutes.
MAX_QUESTION_CHARACTERS = 2_000
MAX_PASSAGE_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class _Said:
    """What a window of the passage in this place says."""

    confidence: float
    answer: str
    place: int
    extract: Extract


class CompactReader:
    """Reads on a few threads of its own, one question a thread; loads its pack at the first reading.

    It abstains below the `threshold` of confidence that its pack was released with, unless told another. Of several
    answers it takes the one with most said for it, the sum of the confidences of all windows that say it. `remembered`
    is for those who show many sources the same passages: of so many of them it knows what it read.
    """

    def __init__(
        self,
        folder: Path = WEIGHTS,
        *,
        threads: int | None = None,
        threshold: float | None = None,
        remembered: int = 0,
    ) -> None:
        pack = CompactModel.open(folder)
        told = {} if threshold is None else {"threshold": threshold}
        self._pack = replace(pack, settings=pack.settings | told)
        self._threads = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="compact-reader")
        self._loading = Lock()
        self._remembered = remembered
        self._extractor: Extractor | None = None
        self._closed = False
        self.name = f"compact:{self._pack.name}:{REVISION}"
        self.prompt_hash = self._pack.fingerprint

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        """Raises `ModelDamaged` if the weights are not those that were trained."""
        if self._closed:
            raise ModelUnavailable("The compact reader is closed.")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._read, question, passages)

    async def aclose(self) -> None:
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _read(self, question: str, passages: Sequence[str]) -> Reading:
        began = time.perf_counter()
        texts = [passage[:MAX_PASSAGE_CHARACTERS] for passage in passages]
        found = self._loaded().extract(question[:MAX_QUESTION_CHARACTERS], texts)
        usage = Usage(input_tokens=sum(one.tokens for one in found), milliseconds=(time.perf_counter() - began) * 1000)
        said = [
            _Said(self._confidence(extract), texts[place][extract.start : extract.end], place, extract)
            for place, extracted in enumerate(found)
            for extract in extracted.extracts
        ]
        best = _most_said([one for one in said if one.confidence >= self._pack.settings["threshold"]])
        if best is None:
            return Reading(None, IDK, max((one.confidence for one in said), default=0.0), usage)
        location = Location(best.place, best.extract.start, best.extract.end)
        return Reading(best.answer, best.answer, best.confidence, usage, location)

    def _confidence(self, extract: Extract) -> float:
        settings = self._pack.settings
        logit = settings["bias"] + settings["margin"] * extract.margin + settings["answerable"] * extract.answerable
        return 1 / (1 + math.exp(-min(max(logit, -50.0), 50.0)))

    def _loaded(self) -> Extractor:
        with self._loading:
            if self._extractor is None:
                self._extractor = Extractor(self._pack, remembered=self._remembered)
            return self._extractor


def _most_said(said: Sequence[_Said]) -> _Said | None:
    """The surest window of the answer class with the largest sum of confidences; of equals the first."""
    by_class: dict[str, list[_Said]] = {}
    for one in said:
        by_class.setdefault(answer_key(one.answer), []).append(one)
    together = max(by_class.values(), key=lambda some: sum(one.confidence for one in some), default=[])
    return max(together, key=lambda one: one.confidence, default=None)
