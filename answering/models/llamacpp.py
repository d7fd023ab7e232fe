"""Chat with a GGUF file: llama.cpp serves it in this process, on loopback, by the OpenAI protocol."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from answering.errors import ModelRefused, ModelUnavailable
from answering.models.chat import GREEDY, MAX_TOKENS, ChatProvider, Completion, Sampling
from answering.models.openai import OpenAIChat
from estimator.errors import installing

# A debate shows a model several documents at once.
CONTEXT_TOKENS = 8192
# The roles of a debate take turns, each with its own system prompt; a cached state is four times as fast as reading the
# prompt again.
CACHE_MIB = 1024
SETTINGS = "CREDENCE_READER_MODEL or CREDENCE_CHAT_MODEL"


class Closable(Protocol):
    async def aclose(self) -> None: ...


C = TypeVar("C", bound=Closable)


class LlamaCppServers(Generic[C]):
    """Servers of one GGUF file, started at the first use, each with a client that does one request at a time.

    `connect` makes a client of the base URL of a server. The cores are divided among the servers.
    """

    def __init__(
        self, path: Path, connect: Callable[[str], C], *, count: int = 1, context_tokens: int, cache_mib: int = 0
    ) -> None:
        self._connect = connect
        self._count = count
        threads = max(1, (os.cpu_count() or 1) // count)
        self._serve = partial(serve, path, context_tokens=context_tokens, threads=threads, cache_mib=cache_mib)
        self._starting = asyncio.Lock()
        self._closed = False
        self._servers: list[Any] = []
        self._clients: list[C] = []
        self._idle: asyncio.Queue[C] = asyncio.Queue()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[C]:
        """An idle client, for the block. Raises `ModelRefused` as `serve` does, `ModelUnavailable` after `aclose`."""
        async with self._starting:
            if self._closed:
                raise ModelUnavailable("The local model is closed.")
            if not self._clients:
                await self._start()
        client = await self._idle.get()
        try:
            yield client
        finally:
            self._idle.put_nowait(client)

    async def aclose(self) -> None:
        self._closed = True
        async with self._starting:
            for client in self._clients:
                await client.aclose()
            self._clients.clear()
            # A server stops when its last reference goes, which waits for its threads.
            await asyncio.to_thread(self._servers.clear)

    async def _start(self) -> None:
        self._servers = [await asyncio.to_thread(self._serve) for _ in range(self._count)]
        for server in self._servers:
            self._clients.append(self._connect(f"{server.listening_address}/v1"))
            self._idle.put_nowait(self._clients[-1])


def serve(path: Path, *, context_tokens: int, threads: int, cache_mib: int) -> Any:  # noqa: ANN401 - llama.cpp has no types
    """A server at its `listening_address` that does one request at a time, until its last reference goes.

    A prompt's common beginning with the last prompt is not read again, nor that with an earlier one whose state is in
    the cache of `cache_mib`. Raises `ModelRefused` if the file or the extra `local` is missing, or the file
    is no model.
    """
    if not path.is_file():
        raise ModelRefused(f"There is no GGUF file {path}; look at {SETTINGS}.")
    try:
        import xllamacpp  # noqa: PLC0415  (an extra of 100 MB that most installations do not have)
    except ImportError as error:
        raise ModelRefused(f"Reading a GGUF file needs llama.cpp: {installing('local')}.") from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.n_gpu_layers = 0
    # Without flash attention a processor reads prompts a tenth faster.
    parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    parameters.cache_ram_mib = cache_mib
    parameters.verbosity = 0
    parameters.ui = False
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise ModelRefused(f"llama.cpp cannot load {path}; look at {SETTINGS}.") from error


class LlamaCppChat:
    """A chat model in a GGUF file; its server starts at the first completion and does one completion at a time.

    A completion raises `ModelRefused` if the file or the extra `local` is missing.

    >>> LlamaCppChat("~/models/Qwen3-4B.gguf").name
    'gguf:Qwen3-4B'
    """

    def __init__(
        self,
        model: str,
        *,
        max_tokens: int = MAX_TOKENS,
        context_tokens: int = CONTEXT_TOKENS,
        cache_mib: int = CACHE_MIB,
    ) -> None:
        path = Path(model).expanduser()
        self.name = f"gguf:{path.stem}"
        self._servers = LlamaCppServers(
            path,
            lambda url: OpenAIChat(base_url=url, model="local", max_tokens=max_tokens),
            context_tokens=context_tokens,
            cache_mib=cache_mib,
        )

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        async with self._servers.client() as chat:
            return await chat.complete(system, message, sampling=sampling)

    async def aclose(self) -> None:
        await self._servers.aclose()


GGUF = ChatProvider(
    name="gguf",
    summary="path of a GGUF file; it takes up to 1 GiB of memory more than its size, as a cache of prompts",
    serves=lambda settings: settings.chat_url is None,
    make=lambda settings: LlamaCppChat(str(settings.chat_model)),
)
