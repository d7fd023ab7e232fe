"""The one driver of all debates: it executes requests concurrently, keeps to the budget and writes the transcript."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from answering.concurrency import run_all
from answering.debates.execution import ExecutedRequest, RequestExecutor, Services
from answering.debates.protocol import Debate, DebateResult, Reply, Request, Turn
from answering.debates.schema import ReplyStatus
from answering.errors import BadParameter
from answering.models.usage import Budget, Meter, Usage


@dataclass(frozen=True, slots=True)
class DebateLimits:
    """The budget of a debate, the number of concurrent requests, and the seconds that one attempt may take.

    >>> DebateLimits(Budget(calls=20, seconds=60.0), concurrency=2).timeout
    120.0
    """

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
    """A request of an agent is being executed."""

    agent: str
    round: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A request was executed, with or without a reply."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class DebateEnded:
    result: DebateResult


Event: TypeAlias = TurnBegan | TurnEnded | DebateEnded
Listener: TypeAlias = Callable[[Event], Awaitable[None]]


async def run(
    debate: Debate, services: Services, limits: DebateLimits | None = None, listener: Listener | None = None
) -> DebateResult:
    """Runs a debate to its end, or until its budget is spent; the listener is sent every event in order of time.

    Raises `MissingService`, `ModelError` if models failed and not a single request got a reply, and whatever the search
    and the listener raise.

    >>> import asyncio
    >>> from answering.debates.protocol import SourceDocument
    >>> from answering.debates.concatenated import concatenated
    >>> from tests.fakes.scripted_chat import ScriptedChat
    >>> debate = concatenated("Who leads the choir?", [SourceDocument("d1", "Lena Dahl leads the choir.")])
    >>> result = asyncio.run(run(debate, Services(ScriptedChat("Answers: Lena Dahl; Tom Reed"))))
    >>> [(answer.answer, answer.documents) for answer in result.answers], result.unsupported
    ([('Lena Dahl', ('d1',))], ('Tom Reed',))
    """
    return await _Driver(debate, services, limits or DebateLimits(), listener or _ignore).run()


async def _ignore(_event: Event) -> None:
    pass


class _Driver:
    def __init__(self, debate: Debate, services: Services, limits: DebateLimits, listener: Listener) -> None:
        self._debate = debate
        self._meter = Meter(limits.budget)
        self._executor = RequestExecutor(services, self._meter, limits.timeout)
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._listener = listener
        self._executed: list[ExecutedRequest] = []

    async def run(self) -> DebateResult:
        try:
            requests = next(self._debate)
            while True:
                requests = self._debate.send(await self._execute_all(requests))
        except StopIteration as end:
            return await self._finish(end.value)
        finally:
            self._debate.close()

    async def _finish(self, result: DebateResult) -> DebateResult:
        errors = [executed.error for executed in self._executed if executed.error is not None]
        if errors and all(executed.reply.status is ReplyStatus.FAILED for executed in self._executed):
            raise errors[0]
        transcript = tuple(executed.turn for executed in self._executed)
        usage = sum((turn.usage for turn in transcript), Usage())
        result = replace(result, usage=usage, seconds=self._meter.seconds, transcript=transcript)
        await self._listener(DebateEnded(result))
        return result

    async def _execute_all(self, requests: Sequence[Request]) -> list[Reply[Any]]:
        """Executes requests concurrently; the transcript keeps their order, whichever reply came first."""
        executed = await run_all([self._execute(request) for request in requests])
        self._executed += executed
        return [request.reply for request in executed]

    async def _execute(self, request: Request) -> ExecutedRequest:
        async with self._slots:
            await self._listener(TurnBegan(request.agent, request.round))
            executed = await self._executor.execute(request)
            await self._listener(TurnEnded(executed.turn))
            return executed
