"""Readers with limits on concurrency, time and attempts, and with the compact reader as a filter before them."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from answering.models.limits import CallLimits
from answering.models.openai_client import READER
from answering.readers.compact import CompactReader
from answering.readers.reader import Reader, Reading
from answering.tracing import span

# The confidence of the compact reader below which the other one is not called. On RAMDocs' calibration quarter and
# held-out questions of the training sets that loses 8 and 10 % of the passages that answer, and saves the calls for 62
# and 67 % of those that do not.
PREFILTER_THRESHOLD = 0.1


class LimitedReader:
    """A reader with at most `concurrency` readings at once, each attempt within `timeout` seconds.

    What it retries, and when it takes the server for dead, is said in `answering.models.limits`.

    >>> import asyncio
    >>> from tests.fakes.scripted_reader import ScriptedReader
    >>> reader = LimitedReader(ScriptedReader({"Who?": "Tora Myhre"}), concurrency=4, timeout=60.0, attempts=3)
    >>> asyncio.run(reader.read("Who?", ["Tora Myhre."])).answer
    'Tora Myhre'
    """

    def __init__(self, reader: Reader, *, concurrency: int, timeout: float, attempts: int) -> None:
        self._reader = reader
        self._limits = CallLimits(concurrency=concurrency, timeout=timeout, attempts=attempts, setting=READER.url)
        self.name = reader.name
        self.prompt_hash = reader.prompt_hash

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        with span("reading", reader=self.name):
            return await self._limits.call(lambda: self._reader.read(question, passages, contexts))

    async def aclose(self) -> None:
        await self._reader.aclose()


class PrefilteredReader:
    """Reads only where the compact reader finds a possible answer; elsewhere the reading is IDK, without a call.

    Small language models hardly ever abstain: from passages that do not answer, they copy something. The compact reader
    recognises most of these passages in hundredths of a second. It knows English only.

    >>> import asyncio
    >>> from tests.fakes.scripted_reader import ScriptedReader
    >>> reader = PrefilteredReader(ScriptedReader(lambda question, passages: "herons"))
    >>> reading = asyncio.run(reader.read("Who built the mill?", ["Herons nest in the reeds."]))
    >>> reading.answer is None, reading.usage.model_calls
    (True, 0)
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._prefilter = CompactReader(threshold=PREFILTER_THRESHOLD)
        self.name = f"{reader.name} after {self._prefilter.name}"
        self.prompt_hash = hashlib.sha256(
            f"{reader.prompt_hash} {self._prefilter.prompt_hash} {PREFILTER_THRESHOLD}".encode()
        ).hexdigest()

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        first = await self._prefilter.read(question, passages, contexts)
        if first.answer is None:
            return replace(first, confidence=None)
        reading = await self._reader.read(question, passages, contexts)
        milliseconds = first.usage.milliseconds + reading.usage.milliseconds
        return replace(reading, usage=replace(reading.usage, milliseconds=milliseconds))

    async def aclose(self) -> None:
        await self._prefilter.aclose()
        await self._reader.aclose()
