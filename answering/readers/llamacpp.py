"""Reading with a GGUF file: llama.cpp serves it on loopback, in this process, by the OpenAI protocol."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

from answering.errors import ReaderRefused
from answering.readers.openai import OpenAIReader
from answering.readers.port import Reader, Reading
from answering.readers.spans import SpanReader

CONTEXT_TOKENS = 8192
SLOTS = 2


class LlamaCppReader:
    """Starts the server at the first reading. `span_only` makes it choose spans (`answering.readers.spans`).

    Raises `ReaderRefused` if the file or the extra `credence[local]` is missing.
    """

    def __init__(self, model: str, *, span_only: bool = False) -> None:
        self._path = Path(model).expanduser()
        self._span_only = span_only
        self._starting = asyncio.Lock()
        self._server: Any = None
        self._reader: Reader | None = None
        self.name = f"gguf:{self._path.stem}{':span' if span_only else ''}"
        # The hash of what the inner reader will send, known before there is a server.
        self.prompt_hash = self._inner("http://127.0.0.1:1").prompt_hash

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        async with self._starting:
            if self._reader is None:
                self._server = await asyncio.to_thread(self._serve)
                self._reader = self._inner(str(self._server.listening_address))
        return await self._reader.read(question, passages)

    async def aclose(self) -> None:
        if self._reader is not None:
            await self._reader.aclose()
        # The server stops when it is forgotten, which waits for its threads.
        self._reader, server, self._server = None, self._server, None
        await asyncio.to_thread(lambda: server and None)

    def _inner(self, address: str) -> Reader:
        url = f"{address}/v1"
        if self._span_only:
            return SpanReader(AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=600), name=self.name)
        return OpenAIReader(base_url=url, model="local", name=self.name)

    def _serve(self) -> object:
        if not self._path.is_file():
            raise ReaderRefused(f"There is no GGUF file {self._path}; look at CREDENCE_READER_MODEL.")
        try:
            import xllamacpp  # noqa: PLC0415  (an extra of 100 MB that most installations do not have)
        except ImportError as error:
            raise ReaderRefused("Reading a GGUF file needs llama.cpp: pip install 'credence[local]'.") from error
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(self._path)
        parameters.n_ctx = CONTEXT_TOKENS
        parameters.n_parallel = SLOTS
        threads = os.cpu_count() or 2
        parameters.cpuparams.n_threads = threads
        parameters.cpuparams_batch.n_threads = threads
        parameters.n_gpu_layers = 0
        parameters.verbosity = 0
        parameters.ui = False
        return xllamacpp.Server(parameters)
