"""Reading with a GGUF file: llama.cpp serves it in this process, on loopback, by the OpenAI protocol."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from answering.errors import ModelUnavailable
from answering.models import LlamaCppChat
from answering.models.llamacpp import serve
from answering.models.openai import LONGEST_COMPLETION
from answering.models.openai_client import open_client
from answering.readers.openai import ChatReader
from answering.readers.reader import Reader, ReaderProvider, ReaderSettings, Reading
from answering.readers.span_choice import SpanChoiceReader, span_prompt_hash

CONTEXT_TOKENS = 4096
MAX_SERVERS = 4


class LlamaCppSpanReader:
    """Chooses a span of the passages with a small model in a GGUF file (`answering.readers.span_choice`).

    The model is served once for each core, up to four times, with one thread and one request at a time: the threads of
    llama.cpp wait for each other by spinning, so on a busy machine two threads are slower than one. The servers start
    at the first reading, which raises `ModelRefused` if the file or the extra `credence[local]` is missing.

    >>> LlamaCppSpanReader("~/models/SmolLM2-135M.gguf").name
    'gguf:SmolLM2-135M:span'
    """

    def __init__(self, model: str) -> None:
        cores = os.cpu_count() or 1
        self._path = Path(model).expanduser()
        self._count = min(cores, MAX_SERVERS)
        self._threads = max(1, cores // self._count)
        self._starting = asyncio.Lock()
        self._closed = False
        self._servers: list[Any] = []
        self._readers: list[SpanChoiceReader] = []
        self._idle: asyncio.Queue[SpanChoiceReader] = asyncio.Queue()
        self.name = f"gguf:{self._path.stem}:span"
        self.prompt_hash = span_prompt_hash()

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
            # A server stops when its last reference goes, which waits for its threads.
            await asyncio.to_thread(self._servers.clear)

    async def _started(self) -> None:
        async with self._starting:
            if self._closed:
                raise ModelUnavailable("The local model is closed.")
            if self._readers:
                return
            self._servers = [await asyncio.to_thread(self._serve) for _ in range(self._count)]
            for server in self._servers:
                client = open_client(f"{server.listening_address}/v1", None, timeout=LONGEST_COMPLETION)
                self._readers.append(SpanChoiceReader(client, name=self.name))
                self._idle.put_nowait(self._readers[-1])

    def _serve(self) -> Any:  # noqa: ANN401  (llama.cpp has no types)
        return serve(self._path, context_tokens=CONTEXT_TOKENS, threads=self._threads)


def _reader(settings: ReaderSettings) -> Reader:
    model = str(settings.reader_model)
    if settings.reader_span_only:
        return LlamaCppSpanReader(model)
    return ChatReader(LlamaCppChat(model, context_tokens=CONTEXT_TOKENS, cache_mib=0))


GGUF = ReaderProvider(
    name="gguf",
    summary="a GGUF file on this machine",
    required={"reader_model": "the path of a GGUF file"},
    make=_reader,
    make_chat=lambda settings: LlamaCppChat(str(settings.reader_model)),
    calls_model=True,
)
