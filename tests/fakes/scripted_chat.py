"""A chat model that replies from a script."""

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
    """The arguments of a completion.

    >>> import asyncio
    >>> chat = ScriptedChat(lambda call: call.message.upper())
    >>> asyncio.run(chat.complete("Repeat.", "hello")).text
    'HELLO'
    """

    system: str
    message: str
    sampling: Sampling


Script: TypeAlias = str | Callable[[ChatCall], str | ModelError]


class ScriptedChat:
    """Replies with one text, or with what a function of the call returns; a returned `ModelError` is raised.

    Each completion takes `delay` seconds, and a word counts as a token. `calls` records the calls, `peak` the highest
    number of completions in progress at once.

    >>> import asyncio
    >>> chat = ScriptedChat("Paris")
    >>> asyncio.run(chat.complete("Answer in one word.", "What is the capital of France?")).text
    'Paris'
    >>> chat.calls[0].message
    'What is the capital of France?'
    """

    def __init__(self, script: Script, *, name: str = "scripted", delay: float = 0.0) -> None:
        self.name = name
        self.calls: list[ChatCall] = []
        self.peak = 0
        self.closed = False
        self._script = script
        self._delay = delay
        self._in_progress = 0

    async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
        call = ChatCall(system, message, sampling)
        self.calls.append(call)
        started = time.perf_counter()
        self._in_progress += 1
        self.peak = max(self.peak, self._in_progress)
        try:
            await asyncio.sleep(self._delay)
        finally:
            self._in_progress -= 1
        reply = self._script if isinstance(self._script, str) else self._script(call)
        if isinstance(reply, ModelError):
            raise reply
        words = len(f"{system} {message}".split()), len(reply.split())
        return Completion(reply, Usage(1, *words, (time.perf_counter() - started) * 1000))

    async def aclose(self) -> None:
        self.closed = True
