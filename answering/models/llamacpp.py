"""Chat with a GGUF file: llama.cpp serves it in this process, on loopback, by the OpenAI protocol."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import Any

from answering.errors import ModelRefused, ModelUnavailable
from answering.models.chat import GREEDY, MAX_TOKENS, ChatProvider, Completion, Sampling
from answering.models.openai import OpenAIChat
from answering.models.special_tokens import NO_TOKENS, special_tokens
from estimator.errors import installing

# A debate shows a model several documents at once.
CONTEXT_TOKENS = 8192
# The roles of a debate take turns, each with its own system prompt; a cached state is four times as fast as reading the
# prompt again.
CACHE_MIB = 1024
SETTINGS = "CREDENCE_READER_MODEL or CREDENCE_CHAT_MODEL"


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

    No special token of the model is left in what it is sent. A completion raises `ModelRefused` if the file or the
    extra `local` is missing.

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
        self._path = Path(model).expanduser()
        self.name = f"gguf:{self._path.stem}"
        self._max_tokens = max_tokens
        threads = os.cpu_count() or 1
        self._serve = partial(serve, self._path, context_tokens=context_tokens, threads=threads, cache_mib=cache_mib)
        self._turn, self._starting = asyncio.Lock(), asyncio.Lock()
        self._closed = False
        self._server: Any = None
        self._client: OpenAIChat | None = None
        self._tokens = NO_TOKENS

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        async with self._turn:
            client = await self._started()
            escape = self._tokens.escaped
            return await client.complete(escape(system), escape(message), sampling=sampling)

    async def aclose(self) -> None:
        self._closed = True
        async with self._starting:
            if self._client is not None:
                await self._client.aclose()
            # The server stops when its last reference goes, which waits for its threads.
            await asyncio.to_thread(self._drop_server)

    async def _started(self) -> OpenAIChat:
        async with self._starting:
            if self._closed:
                raise ModelUnavailable("The local model is closed.")
            if self._client is None:
                self._server = await asyncio.to_thread(self._serve)
                self._tokens = await asyncio.to_thread(special_tokens, self._path)
                url = f"{self._server.listening_address}/v1"
                self._client = OpenAIChat(base_url=url, model="local", max_tokens=self._max_tokens)
            return self._client

    def _drop_server(self) -> None:
        self._server = None


GGUF = ChatProvider(
    name="gguf",
    summary="path of a GGUF file; it takes up to 1 GiB of memory more than its size, as a cache of prompts",
    serves=lambda settings: settings.chat_url is None,
    make=lambda settings: LlamaCppChat(str(settings.chat_model)),
)
