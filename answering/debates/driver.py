"""The one driver of every debate: it does the I/O side by side, keeps to the budget and writes the transcript."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from answering.debates.execution import ExecutedRequest, RequestExecutor
from answering.debates.protocol import Debate, DebateResult, Reply, ReplyStatus, Request, Turn
from answering.debates.services import Services
from answering.errors import BadParameter, ModelError
from answering.models.usage import Budget, Meter, Usage


@dataclass(frozen=True, slots=True)
class DebateLimits:
    """The budget of a debate, how many requests are under way at once, and how long one may take (seconds)."""

    budget: Budget = field(default_factory=Budget)
    concurrency: int = 4
    timeout: float = 120.0

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise BadParameter(f"a debate makes at least 1 request at a time, not {self.concurrency}")
        if not self.timeout > 0:
            raise BadParameter(f"a request may take more than 0 seconds, not {self.timeout}")


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """An agent has the floor."""

    agent: str
    round: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """An agent has spoken, or did not."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class DebateEnded:
    """The last event."""

    result: DebateResult


Event: TypeAlias = TurnBegan | TurnEnded | DebateEnded
Listener: TypeAlias = Callable[[Event], Awaitable[None]]


async def run(
    debate: Debate, services: Services, limits: DebateLimits | None = None, listener: Listener | None = None
) -> DebateResult:
    """Runs a debate to its end, or to that of its budget; the listener hears every event in order of time.

    Raises `MissingService` for a service that is missing, `ModelError` where not a single request got a reply because
    models failed, and whatever the search and the listener raise.
    """
    return await _Driver(debate, services, limits or DebateLimits(), listener or _nobody).run()


async def stream(debate: Debate, services: Services, limits: DebateLimits | None = None) -> AsyncGenerator[Event, None]:
    """The events of a debate as they happen, `DebateEnded` last; raises what `run` raises.

    Close it (`contextlib.aclosing`) to cancel a debate that nobody listens to any more.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    running = asyncio.create_task(run(debate, services, limits, events.put))
    running.add_done_callback(lambda _task: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        await running
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait([running])


async def _nobody(_event: Event) -> None:
    """Hears nothing."""


class _Driver:
    def __init__(self, debate: Debate, services: Services, limits: DebateLimits, listener: Listener) -> None:
        self._debate = debate
        self._meter = Meter(limits.budget)
        self._taker = RequestExecutor(services, self._meter, limits.timeout)
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._listener = listener
        self._transcript: list[Turn] = []
        self._failures: list[ModelError] = []
        self._heard = False

    async def run(self) -> DebateResult:
        try:
            requests = next(self._debate)
            while True:
                requests = self._debate.send(await self._take_all(requests))
        except StopIteration as end:
            return await self._finished(end.value)
        finally:
            self._debate.close()

    async def _finished(self, result: DebateResult) -> DebateResult:
        if self._failures and not self._heard:
            raise self._failures[0]
        usage = sum((turn.usage for turn in self._transcript), Usage())
        result = replace(result, usage=usage, seconds=self._meter.seconds, transcript=tuple(self._transcript))
        await self._listener(DebateEnded(result))
        return result

    async def _take_all(self, requests: Sequence[Request]) -> list[Reply[Any]]:
        """Side by side; the transcript keeps the order of the requests, whoever spoke first."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._take(request)) for request in requests]
        except BaseExceptionGroup as errors:
            raise _first(errors) from errors
        taken = [task.result() for task in tasks]
        self._transcript += [one.turn for one in taken]
        self._failures += [one.failure for one in taken if one.failure is not None]
        self._heard = self._heard or any(one.reply.status is not ReplyStatus.FAILED for one in taken)
        return [one.reply for one in taken]

    async def _take(self, request: Request) -> ExecutedRequest:
        async with self._slots:
            await self._listener(TurnBegan(request.agent, request.round))
            taken = await self._taker.take(request)
            await self._listener(TurnEnded(taken.turn))
            return taken


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
