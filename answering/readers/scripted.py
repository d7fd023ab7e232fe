"""A reader without a model, for tests of everything that reads."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from answering.errors import ModelError
from answering.readers.reader import Reading, Usage

Reply: TypeAlias = str | ModelError | None
Script: TypeAlias = Mapping[str, Reply] | Callable[[str, Sequence[str]], Reply]


@dataclass(frozen=True, slots=True)
class Call:
    question: str
    passages: tuple[str, ...]


class ScriptedReader:
    """Replies from a mapping of questions, or by a function of question and passages.

    None, and a question the mapping lacks, abstains; a ModelError is raised. Each reading takes `delay`
    seconds. `calls` records what was asked, `peak` the most readings that were under way at once.
    """

    def __init__(self, script: Script | None = None, *, name: str = "scripted", delay: float = 0.0) -> None:
        self.name = name
        self.prompt_hash = hashlib.sha256(name.encode()).hexdigest()
        self.calls: list[Call] = []
        self.peak = 0
        self.closed = False
        self._reply = script if callable(script) else _lookup(script or {})
        self._delay = delay
        self._under_way = 0

    async def read(self, question: str, passages: Sequence[str]) -> Reading:
        self.calls.append(Call(question, tuple(passages)))
        started = time.perf_counter()
        self._under_way += 1
        self.peak = max(self.peak, self._under_way)
        try:
            await asyncio.sleep(self._delay)
        finally:
            self._under_way -= 1
        return self._reading(self._reply(question, passages), started)

    async def aclose(self) -> None:
        self.closed = True

    @staticmethod
    def _reading(reply: Reply, started: float) -> Reading:
        if isinstance(reply, ModelError):
            raise reply
        milliseconds = (time.perf_counter() - started) * 1000
        return Reading(reply, "IDK" if reply is None else reply, None, Usage(1, 0, 0, milliseconds))


def _lookup(replies: Mapping[str, Reply]) -> Callable[[str, Sequence[str]], Reply]:
    def reply(question: str, _passages: Sequence[str]) -> Reply:
        return replies.get(question)

    return reply
