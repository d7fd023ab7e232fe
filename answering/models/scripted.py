"""A chat model without a model, for tests of everything that talks."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from answering.errors import ModelError
from answering.models.chat import GREEDY, Completion, Sampling
from answering.models.usage import Usage


@dataclass(frozen=True, slots=True)
class ChatCall:
    system: str
    message: str
    sampling: Sampling


Script: TypeAlias = str | Callable[[ChatCall], str | ModelError]


class ScriptedChat:
    """Says the same to everything, or what a function of the request returns; a ModelError is raised.

    Each completion takes `delay` seconds, and a token a word. `calls` records what was asked, `peak` the most
    completions that were under way at once.
    """

    def __init__(self, script: Script, *, name: str = "scripted", delay: float = 0.0) -> None:
        self.name = name
        self.calls: list[ChatCall] = []
        self.peak = 0
        self.closed = False
        self._script = script
        self._delay = delay
        self._under_way = 0

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        asked = ChatCall(system, message, sampling)
        self.calls.append(asked)
        began = time.perf_counter()
        self._under_way += 1
        self.peak = max(self.peak, self._under_way)
        try:
            await asyncio.sleep(self._delay)
        finally:
            self._under_way -= 1
        said = self._script if isinstance(self._script, str) else self._script(asked)
        if isinstance(said, ModelError):
            raise said
        words = len(f"{system} {message}".split()), len(said.split())
        return Completion(said, Usage(1, *words, (time.perf_counter() - began) * 1000))

    async def aclose(self) -> None:
        self.closed = True
