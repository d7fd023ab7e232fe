"""A buffer of bytes between a task that writes and one that reads, where neither waits for the other."""

import asyncio
from collections.abc import AsyncIterator
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Self

MAX_MEMORY_BYTES = 2**20
CHUNK_BYTES = 2**16


class Spool:
    """Holds what has been written: in memory up to a megabyte, beyond that in a temporary file.

    Many clients send all of a request before they read any of its response. If results were held back until they
    are read, both sides would wait for each other.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile[bytes](max_size=MAX_MEMORY_BYTES)
        # How far the file was read and written, and what comes after it.
        self._read = self._end = 0
        self._last = bytearray()
        self._written = 0
        self._ended = False
        self._changed = asyncio.Event()

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
        self._written += len(data)
        self._last += data
        if len(self._last) >= CHUNK_BYTES:
            self._file.seek(self._end)
            self._end += self._file.write(self._last)
            self._last.clear()
        self._changed.set()

    def end(self) -> None:
        """Close the writing side."""
        self._ended = True
        self._changed.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """All bytes, as they come, until the end."""
        while True:
            while self._read < self._end or self._last:
                yield self._next()
            if self._ended:
                return
            self._changed.clear()
            await self._changed.wait()

    def _next(self) -> bytes:
        if self._read == self._end:
            chunk = bytes(self._last)
            self._last.clear()
            return chunk
        self._file.seek(self._read)
        chunk = self._file.read(min(CHUNK_BYTES, self._end - self._read))
        self._read += len(chunk)
        return chunk
