"""A reader that replies from a script."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from answering.errors import ModelError
from answering.models import Usage
from answering.readers.reader import Reading

Reply: TypeAlias = str | ModelError | None
Script: TypeAlias = Mapping[str, Reply] | Callable[[str, Sequence[str]], Reply]


@dataclass(frozen=True, slots=True)
class Call:
    question: str
    passages: tuple[str, ...]
    contexts: tuple[str, ...] = ()


class ScriptedReader:
    """Replies from a mapping of questions, or with what a function of question and passages returns.

    It abstains for None, and for a question that the mapping lacks; a `ModelError` is raised. Each reading takes
    `delay` seconds. `calls` records the calls, `peak` the highest number of readings in progress at once.

    >>> import asyncio
    >>> reader = ScriptedReader({"Who built the mill?": "Tora Myhre"})
    >>> asyncio.run(reader.read("Who built the mill?", ["..."])).answer
    'Tora Myhre'
    >>> asyncio.run(reader.read("When?", ["..."])).answer is None
    True
    """

    def __init__(self, script: Script | None = None, *, name: str = "scripted", delay: float = 0.0) -> None:
        self.name = name
        self.prompt_hash = hashlib.sha256(name.encode()).hexdigest()
        self.calls: list[Call] = []
        self.peak = 0
        self.closed = False
        self._script = script or {}
        self._delay = delay
        self._in_progress = 0

    async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
        self.calls.append(Call(question, tuple(passages), tuple(contexts)))
        started = time.perf_counter()
        self._in_progress += 1
        self.peak = max(self.peak, self._in_progress)
        try:
            await asyncio.sleep(self._delay)
        finally:
            self._in_progress -= 1
        reply = self.reply(question, passages)
        if isinstance(reply, ModelError):
            raise reply
        usage = Usage(model_calls=1, milliseconds=(time.perf_counter() - started) * 1000)
        return Reading.abstention(usage) if reply is None else Reading(reply, reply, None, usage)

    def reply(self, question: str, passages: Sequence[str]) -> Reply:
        return self._script(question, passages) if callable(self._script) else self._script.get(question)

    async def aclose(self) -> None:
        self.closed = True
