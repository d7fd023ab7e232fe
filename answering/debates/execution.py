"""Executes one request of a debate within its budget and time, and records it as a turn of the transcript."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

from answering.debates.protocol import Ask, Read, Reply, Request, Search, SourceDocument, Turn
from answering.debates.schema import ReplyStatus, TurnKind
from answering.errors import BudgetSpent, MissingService, ModelError, ModelTimeout
from answering.models.chat import Chat
from answering.models.usage import Meter, Usage
from answering.readers.reader import Reader

T = TypeVar("T")
REMINDER = "Your last reply could not be read. Reply in exactly the form that was asked for, and nothing else."


class Searcher(Protocol):
    """Finds documents for a debate."""

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        """Find at most `limit` documents, the best first, of the selected sources only or of all."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """The services that execute the requests of a debate; one that is needed and None raises `MissingService`.

    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> Services(ScriptedChat("Answer: 1963")).require_chat().name
    'scripted'
    """

    chat: Chat | None = None
    reader: Reader | None = None
    searcher: Searcher | None = None

    def require_chat(self) -> Chat:
        if self.chat is None:
            raise MissingService("A debate needs a language model, and none is configured.")
        return self.chat

    def require_reader(self) -> Reader:
        if self.reader is None:
            raise MissingService("This debate begins with a reader's readings, and no reader is configured.")
        return self.reader

    def require_searcher(self) -> Searcher:
        if self.searcher is None:
            raise MissingService("This debate searches for documents, and was given nothing to search in.")
        return self.searcher


@dataclass(frozen=True, slots=True)
class ExecutedRequest:
    """The reply for the debate, the turn for the transcript, and the error for which no reply could be had."""

    reply: Reply[Any]
    turn: Turn
    error: ModelError | None = None


@dataclass(slots=True)
class _Attempts:
    status: ReplyStatus = ReplyStatus.UNREADABLE
    text: str = ""
    unreadable: list[str] = field(default_factory=list)
    error: ModelError | None = None
    usage: Usage = field(default_factory=Usage)

    def succeed(self, text: str) -> None:
        self.status, self.text = ReplyStatus.ANSWERED, text


class RequestExecutor:
    """Executes requests with the services, within one meter; `timeout` is in seconds, for one attempt."""

    def __init__(self, services: Services, meter: Meter, timeout: float) -> None:
        self._services = services
        self._meter = meter
        self._timeout = timeout

    async def execute(self, request: Request) -> ExecutedRequest:
        """A model that fails makes a failed reply. Raises `MissingService` and whatever the search raises."""
        if isinstance(request, Ask):
            return await self._ask(request)
        if isinstance(request, Read):
            return await self._read(request)
        return await self._search(request)

    async def _ask(self, request: Ask[T]) -> ExecutedRequest:
        chat, attempts, value = self._services.require_chat(), _Attempts(), None
        for message in (request.message, f"{request.message}\n\n{REMINDER}"):
            complete = partial(chat.complete, request.prompt.text, message, sampling=request.sampling)
            completion = await self._within_limits(complete, attempts)
            if completion is None:
                break
            self._settle(attempts, completion.usage)
            attempts.text = completion.text
            value = request.parse(completion.text)
            if value is not None:
                attempts.succeed(completion.text)
                break
            attempts.unreadable.append(completion.text)
        return _executed(request, TurnKind.ASK, attempts, value, request.prompt.name, request.prompt.hash)

    async def _read(self, request: Read) -> ExecutedRequest:
        reader, attempts = self._services.require_reader(), _Attempts()
        reading = await self._within_limits(lambda: reader.read(request.question, [request.document.text]), attempts)
        if reading is not None:
            self._settle(attempts, reading.usage)
            attempts.succeed(reading.raw)
        return _executed(request, TurnKind.READ, attempts, reading, reader.name, reader.prompt_hash)

    async def _search(self, request: Search) -> ExecutedRequest:
        attempts = _Attempts()
        search = partial(self._services.require_searcher().search, request.query)
        documents = await self._within_limits(
            lambda: search(limit=request.limit, selected_only=request.selected_only), attempts
        )
        if documents is not None:
            self._settle(attempts, Usage())
            ids = ", ".join(document.id for document in documents)
            attempts.succeed(f"{request.query}: {ids or 'nothing'}")
        return _executed(request, TurnKind.SEARCH, attempts, None if documents is None else tuple(documents))

    async def _within_limits(self, call: Callable[[], Awaitable[T]], attempts: _Attempts) -> T | None:
        """The result of the call; None, with the reason in `attempts`, if it fails, takes too long or may not begin."""
        if not self._meter.begin_call():
            attempts.status = ReplyStatus.OUT_OF_BUDGET
            return None
        seconds_left = self._meter.remaining.seconds
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout if seconds_left is None else min(self._timeout, seconds_left)):
                return await call()
        except BudgetSpent:
            self._meter.end_call(Usage())
            attempts.status = ReplyStatus.OUT_OF_BUDGET
            return None
        except TimeoutError:
            spent = self._meter.remaining.seconds == 0.0
            attempts.status = ReplyStatus.OUT_OF_BUDGET if spent else ReplyStatus.FAILED
            attempts.error = None if spent else ModelTimeout(f"No reply within {self._timeout:g} seconds.")
        except ModelError as error:
            attempts.status, attempts.error = ReplyStatus.FAILED, error
        self._settle(attempts, Usage(model_calls=1, milliseconds=(time.perf_counter() - began) * 1000))
        return None

    def _settle(self, attempts: _Attempts, usage: Usage) -> None:
        self._meter.end_call(usage)
        attempts.usage += usage


def _executed(
    request: Request,
    kind: TurnKind,
    attempts: _Attempts,
    value: object,
    prompt: str | None = None,
    prompt_hash: str | None = None,
) -> ExecutedRequest:
    turn = Turn(
        round=request.round,
        agent=request.agent,
        kind=kind,
        status=attempts.status,
        prompt=prompt,
        prompt_hash=prompt_hash,
        said=attempts.text,
        unreadable=tuple(attempts.unreadable),
        error=None if attempts.error is None else str(attempts.error),
        usage=attempts.usage,
    )
    return ExecutedRequest(Reply(value, attempts.status, attempts.text), turn, attempts.error)
