"""Bytes between a task that writes and one that reads, neither waiting for the other."""

import asyncio
from collections.abc import AsyncIterator
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Self

IN_MEMORY = 2**20
CHUNK = 2**16


class Spool:
    """Holds what the reader has not taken yet: in memory up to a megabyte, beyond that in a temporary file.

    Many clients send all of a request before they read any of its response. If results were held back until they
    are read, both sides would wait for each other.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile[bytes](max_size=IN_MEMORY)
        self._written = 0
        self._taken = 0
        self._ended = False
        self._news = asyncio.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def written(self) -> int:
        """Bytes written so far."""
        return self._written

    def write(self, data: bytes) -> None:
        """Append some bytes."""
        self._file.seek(self._written)
        self._file.write(data)
        self._written += len(data)
        self._news.set()

    def end(self) -> None:
        """Say that nothing more will come."""
        self._ended = True
        self._news.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """All bytes, as they come, until the end."""
        while True:
            while self._taken < self._written:
                yield self._next()
            if self._ended:
                return
            self._news.clear()
            await self._news.wait()

    def _next(self) -> bytes:
        self._file.seek(self._taken)
        chunk = self._file.read(min(CHUNK, self._written - self._taken))
        self._taken += len(chunk)
        return chunk
