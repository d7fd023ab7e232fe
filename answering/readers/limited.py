"""A reader within bounds: so many readings at once, so long an attempt, and none from a dead server."""

from collections.abc import Sequence

from answering.models.limits import Limits
from answering.readers.port import Reader, Reading


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
