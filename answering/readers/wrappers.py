"""Readers with limits on concurrency, time and attempts, and with the compact reader as a filter before them.

Small language models hardly ever abstain: from passages that do not answer, they copy something. The compact reader
finds most of these passages in hundredths of a second, and saves the calls. It knows English only.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from answering.models.limits import Limits
from answering.readers.compact import IDK, CompactReader
from answering.readers.reader import Reader, Reading


class LimitedReader:
    """Wraps a reader; the name and prompt are those of the reader inside."""

    def __init__(self, reader: Reader, *, concurrency: int, timeout: float, attempts: int) -> None:
        self._reader = reader
        self._limits = Limits(concurrency=concurrency, timeout=timeout, attempts=attempts)

    @property
    def name(self) -> str:
        return self._reader.name

    @property
    def prompt_hash(self) -> str:
        return self._reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        return await self._limits.call(lambda: self._reader.read(question, passages))

    async def aclose(self) -> None:
        await self._reader.aclose()


# The compact reader's confidence below which nobody else is asked. Of RAMDocs' calibrating quarter and of SQuADShifts'
# development questions that loses 8 and 11 % of the passages that answer, and 66 and 75 % of those that do not.
PREFILTER_THRESHOLD = 0.1


class PrefilteredReader:
    """Reads with `reader` where the compact reader does not abstain; else the reading is IDK, without a model call."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._screen = CompactReader(threshold=PREFILTER_THRESHOLD)
        self.name = f"{reader.name} after {self._screen.name}"
        self.prompt_hash = hashlib.sha256(
            f"{reader.prompt_hash} {self._screen.prompt_hash} {PREFILTER_THRESHOLD}".encode()
        ).hexdigest()

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        seen = await self._screen.read(question, passages)
        milliseconds = seen.usage.milliseconds
        if seen.answer is None:
            return Reading(None, IDK, None, replace(seen.usage, input_tokens=0))
        reading = await self._reader.read(question, passages)
        return replace(reading, usage=replace(reading.usage, milliseconds=reading.usage.milliseconds + milliseconds))

    async def aclose(self) -> None:
        await self._screen.aclose()
        await self._reader.aclose()
