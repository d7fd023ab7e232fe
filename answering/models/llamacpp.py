"""A chat model from a GGUF file, served in this process."""

import asyncio
from pathlib import Path
from typing import Any

from answering.errors import ModelUnavailable
from answering.models.chat import GREEDY, Completion, Sampling
from answering.models.llamacpp_server import serve
from answering.models.openai import ChatModel

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
        self._chat: ChatModel | None = None
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

    async def _started(self) -> ChatModel:
        async with self._starting:
            if self._closed:
                raise ModelUnavailable("The local model is closed.")
            if self._chat is None:
                self._server = await asyncio.to_thread(
                    serve, self._path, context_tokens=CONTEXT_TOKENS, remembered_mib=REMEMBERED_MIB
                )
                url = f"{self._server.listening_address}/v1"
                self._chat = ChatModel(base_url=url, model="local", max_tokens=self._max_tokens)
            return self._chat

    def _forget(self) -> None:
        """A server stops when it is forgotten, which waits for its threads."""
        self._server = None
