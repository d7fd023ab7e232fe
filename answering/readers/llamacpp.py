"""Reading with a GGUF file: llama.cpp serves it on loopback, in this process, by the OpenAI protocol."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from answering.errors import ModelUnavailable
from answering.models.llamacpp import serve
from answering.models.openai_client import open_client
from answering.readers.openai import OpenAIReader
from answering.readers.reader import Reader, Reading
from answering.readers.span_choice import SpanChoiceReader

MOST_SERVERS = 4
# Seconds; the limiter gives up far earlier, this only frees a connection that nobody waits for any more.
LONGEST_READING = 600.0


class LlamaCppReader:
    """Starts its servers at the first reading. `span_only` makes it choose spans (`answering.readers.span_choice`).

    A model that chooses spans is small: it is served once a core, each server with one thread and one request at a
    time. llama.cpp's threads wait for each other by spinning, so on a busy machine two threads are slower than one.
    Raises `ModelRefused` if the file or the extra `credence[local]` is missing.
    """

    def __init__(self, model: str, *, span_only: bool = False, servers: int | None = None) -> None:
        cores = os.cpu_count() or 1
        self._path = Path(model).expanduser()
        self._span_only = span_only
        self._count = servers or (min(cores, MOST_SERVERS) if span_only else 1)
        self._threads = max(1, cores // self._count)
        self._starting = asyncio.Lock()
        self._closed = False
        self._servers: list[Any] = []
        self._readers: list[Reader] = []
        self._idle: asyncio.Queue[Reader] = asyncio.Queue()
        self.name = f"gguf:{self._path.stem}{':span' if span_only else ''}"
        # The hash of what the inner readers will send, known before there is a server.
        self.prompt_hash = self._inner("http://127.0.0.1:1").prompt_hash

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        await self._started()
        reader = await self._idle.get()
        try:
            return await reader.read(question, passages)
        finally:
            self._idle.put_nowait(reader)

    async def aclose(self) -> None:
        self._closed = True
        async with self._starting:
            for reader in self._readers:
                await reader.aclose()
            self._readers.clear()
            # A server stops when it is forgotten, which waits for its threads.
            await asyncio.to_thread(self._servers.clear)

    async def _started(self) -> None:
        async with self._starting:
            if self._closed:
                raise ModelUnavailable("The local model is closed.")
            if self._readers:
                return
            self._servers = [await asyncio.to_thread(self._serve) for _ in range(self._count)]
            self._readers = [self._inner(str(server.listening_address)) for server in self._servers]
            for reader in self._readers:
                self._idle.put_nowait(reader)

    def _inner(self, address: str) -> Reader:
        url = f"{address}/v1"
        if self._span_only:
            return SpanChoiceReader(open_client(url, None, timeout=LONGEST_READING), name=self.name)
        return OpenAIReader(base_url=url, model="local", name=self.name)

    def _serve(self) -> Any:  # noqa: ANN401  (llama.cpp has no types)
        return serve(self._path, threads=self._threads)
