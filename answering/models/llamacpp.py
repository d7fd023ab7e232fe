"""Chat with a GGUF file: llama.cpp serves it in this process, on loopback, by the OpenAI protocol."""

import asyncio
import os
from pathlib import Path
from typing import Any

from answering.errors import ModelRefused, ModelUnavailable
from answering.models.chat import GREEDY, Completion, Sampling
from answering.models.openai import OpenAIChat

# A debate shows a model several documents at once.
CONTEXT_TOKENS = 8192
# The roles of a debate take turns, each with a system prompt of its own: four times as fast as reading them anew.
REMEMBERED_MIB = 1024


class LlamaCppChat:
    """Starts its server at the first completion, one of which is under way at a time.

    Raises `ModelRefused` if the file or the extra `credence[local]` is missing.
    """

    def __init__(self, model: str, *, max_tokens: int) -> None:
        self._path = Path(model).expanduser()
        self._max_tokens = max_tokens
        self._starting = asyncio.Lock()
        self._turn = asyncio.Lock()
        self._server: Any = None
        self._chat: OpenAIChat | None = None
        self._closed = False
        self.name = f"gguf:{self._path.stem}"

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        chat = await self._started()
        async with self._turn:
            return await chat.complete(system, message, sampling=sampling)

    async def aclose(self) -> None:
        self._closed = True
        async with self._starting:
            if self._chat is not None:
                await self._chat.aclose()
                self._chat = None
            await asyncio.to_thread(self._forget)

    async def _started(self) -> OpenAIChat:
        async with self._starting:
            if self._closed:
                raise ModelUnavailable("The local model is closed.")
            if self._chat is None:
                self._server = await asyncio.to_thread(
                    serve, self._path, context_tokens=CONTEXT_TOKENS, remembered_mib=REMEMBERED_MIB
                )
                url = f"{self._server.listening_address}/v1"
                self._chat = OpenAIChat(base_url=url, model="local", max_tokens=self._max_tokens)
            return self._chat

    def _forget(self) -> None:
        """A server stops when it is forgotten, which waits for its threads."""
        self._server = None


CONTEXT_TOKENS = 4096
SETTINGS = "CREDENCE_READER_MODEL or CREDENCE_CHAT_MODEL"


def serve(
    path: Path, *, threads: int | None = None, context_tokens: int = CONTEXT_TOKENS, remembered_mib: int = 0
) -> Any:  # noqa: ANN401 - llama.cpp has no types
    """A server with one request at a time, at its `listening_address`; it stops when it is forgotten.

    What a prompt has in common with the beginning of the last one is not read again, nor of an earlier one whose state
    is among the `remembered_mib`. Raises `ModelRefused` if the file or the extra `credence[local]` is missing, or the
    file is no model.
    """
    if not path.is_file():
        raise ModelRefused(f"There is no GGUF file {path}; look at {SETTINGS}.")
    try:
        import xllamacpp  # noqa: PLC0415  (an extra of 100 MB that most installations do not have)
    except ImportError as error:
        raise ModelRefused("Reading a GGUF file needs llama.cpp: pip install 'credence[local]'.") from error
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads or os.cpu_count() or 1
    parameters.n_gpu_layers = 0
    # Without the fused attention a processor reads prompts a tenth faster.
    parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    parameters.cache_ram_mib = remembered_mib
    parameters.verbosity = 0
    parameters.ui = False
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise ModelRefused(f"llama.cpp cannot load {path}; look at {SETTINGS}.") from error
