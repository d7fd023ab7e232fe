"""One turn of a debate: a request becomes a reply and a line of the transcript, within budget and time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from answering.debates.protocol import Ask, Read, Reply, ReplyStatus, Request, Search, SourceDocument, Turn, TurnKind
from answering.debates.quoting import REMINDER
from answering.debates.services import Services
from answering.errors import BudgetSpent, ModelError, ModelTimeout
from answering.models.usage import Meter, Usage

T = TypeVar("T")
ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class ExecutedRequest:
    """What the debate is told, and what the transcript keeps; `failure` is why no reply could be had."""

    reply: Reply[Any]
    turn: Turn
    failure: ModelError | None = None


@dataclass(slots=True)
class _Attempts:
    """What was tried for one request."""

    usage: Usage = field(default_factory=Usage)
    unreadable: list[str] = field(default_factory=list)
    status: ReplyStatus = ReplyStatus.UNREADABLE
    failure: ModelError | None = None
    text: str = ""


class RequestExecutor:
    """Takes turns with the services, within one meter; `timeout` is in seconds, for one request."""

    def __init__(self, services: Services, meter: Meter, timeout: float) -> None:
        self._services = services
        self._meter = meter
        self._timeout = timeout

    async def take(self, request: Request) -> ExecutedRequest:
        """Raises whatever the search raises, and `MissingService`; a model that fails is a failed reply."""
        if isinstance(request, Ask):
            return await self._ask(request)
        if isinstance(request, Read):
            return await self._read(request)
        return await self._search(request)

    async def _ask(self, request: Ask[T]) -> ExecutedRequest:
        chat = self._services.the_chat()
        tried = _Attempts()
        value: T | None = None
        for attempt in range(ATTEMPTS):
            message = request.message if attempt == 0 else f"{request.message}\n\n{REMINDER}"
            complete = partial(chat.complete, request.prompt.text, message, sampling=request.sampling)
            completion = await self._timed(complete, tried)
            if completion is None:
                break
            self._count(tried, completion.usage)
            tried.text = completion.text
            value = request.parse(completion.text)
            if value is not None:
                tried.status = ReplyStatus.ANSWERED
                break
            tried.unreadable.append(completion.text)
        turn = _turn(request, TurnKind.ASK, tried, (request.prompt.name, request.prompt.hash))
        return ExecutedRequest(Reply(value, tried.status, tried.text), turn, tried.failure)

    async def _read(self, request: Read) -> ExecutedRequest:
        reader = self._services.the_reader()
        tried = _Attempts()
        reading = await self._timed(lambda: reader.read(request.question, [request.document.text]), tried)
        if reading is not None:
            self._count(tried, reading.usage)
            tried.status, tried.text = ReplyStatus.ANSWERED, reading.raw
        turn = _turn(request, TurnKind.READ, tried, (reader.name, reader.prompt_hash))
        return ExecutedRequest(Reply(reading, tried.status, tried.text), turn, tried.failure)

    async def _search(self, request: Search) -> ExecutedRequest:
        searcher = self._services.the_searcher()
        tried = _Attempts()
        found = await self._timed(
            lambda: searcher.search(request.query, limit=request.limit, selected_only=request.selected_only), tried
        )
        documents: tuple[SourceDocument, ...] | None = None if found is None else tuple(found)
        if documents is not None:
            self._count(tried, Usage())
            ids = ", ".join(document.id for document in documents)
            tried.status, tried.text = ReplyStatus.ANSWERED, f"{request.query}: {ids or 'nothing'}"
        turn = _turn(request, TurnKind.SEARCH, tried, (None, None))
        return ExecutedRequest(Reply(documents, tried.status, tried.text), turn, tried.failure)

    async def _timed(self, work: Callable[[], Awaitable[T]], tried: _Attempts) -> T | None:
        """What the work comes to; None where it fails, takes too long or may not begin, which is noted."""
        if not self._meter.begin_call():
            tried.status = ReplyStatus.OUT_OF_BUDGET
            return None
        left = self._meter.seconds_left
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout if left is None else min(self._timeout, left)):
                return await work()
        except BudgetSpent:
            self._meter.settle(Usage())
            tried.status = ReplyStatus.OUT_OF_BUDGET
            return None
        except TimeoutError:
            over = self._meter.seconds_left == 0.0
            tried.status = ReplyStatus.OUT_OF_BUDGET if over else ReplyStatus.FAILED
            tried.failure = None if over else ModelTimeout(f"No reply within {self._timeout:g} seconds.")
        except ModelError as error:
            tried.status, tried.failure = ReplyStatus.FAILED, error
        self._count(tried, Usage(model_calls=1, milliseconds=(time.perf_counter() - began) * 1000))
        return None

    def _count(self, tried: _Attempts, usage: Usage) -> None:
        self._meter.settle(usage)
        tried.usage += usage


def _turn(request: Request, kind: TurnKind, tried: _Attempts, prompt: tuple[str | None, str | None]) -> Turn:
    return Turn(
        round=request.round,
        agent=request.agent,
        kind=kind,
        status=tried.status,
        prompt=prompt[0],
        prompt_hash=prompt[1],
        said=tried.text,
        unreadable=tuple(tried.unreadable),
        error=None if tried.failure is None else str(tried.failure),
        usage=tried.usage,
    )
