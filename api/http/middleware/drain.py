"""The end of the service: new requests are refused while those under way are finished."""

import asyncio
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.error_formats import formatted
from api.http.error_responses import problem_of, respond
from registry.platform.errors import Unavailable

# Answered to the end, so that monitoring sees a service that stops, not one that is dead.
HEALTH = frozenset({"/livez", "/metrics"})
GOODBYE = b": the service stops; reconnect with Last-Event-ID\n\n"
STOPPING = Unavailable("The service is stopping; repeat the request in a few seconds.")
CUT_SECONDS = 2.0


@dataclass(eq=False)
class _Exchange:
    """A request under way: the task that answers it, and what is known of the response."""

    task: "asyncio.Task[object]"
    is_cut: bool = False
    has_started: bool = False
    is_event_stream: bool = False
    is_resumable: bool = False

    def cut(self) -> None:
        if not self.is_cut:
            self.is_cut = True
            self.task.cancel()


class Drain:
    """Whether new requests are taken, and those under way."""

    def __init__(self) -> None:
        self.has_begun = False
        self.exchanges: set[_Exchange] = set()

    def begin(self) -> None:
        """Refuse new requests from now on, and end the event streams, which clients resume elsewhere."""
        self.has_begun = True
        for exchange in self.exchanges:
            if exchange.is_resumable:
                exchange.cut()

    async def finish(self, seconds: float) -> None:
        """Wait for the requests under way; those that take longer than `seconds` are answered with 503."""
        if self.exchanges:
            await asyncio.wait({exchange.task for exchange in self.exchanges}, timeout=seconds)
        cut = set(self.exchanges)
        for exchange in cut:
            exchange.cut()
        if cut:
            await asyncio.wait({exchange.task for exchange in cut}, timeout=CUT_SECONDS)


class Draining:
    """Answers 503 for new requests once the `Drain` has begun, and cuts off others; open streams end with an error."""

    def __init__(self, app: ASGIApp, drain: Drain) -> None:
        self.app = app
        self._drain = drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self._drain.has_begun and scope["path"] not in HEALTH:
            await _refuse(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  (coroutines run in tasks)
        exchange = _Exchange(task)

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.has_started = True
                exchange.is_event_stream = _is_event_stream(message)
                exchange.is_resumable = exchange.is_event_stream and scope["method"] == "GET"
            await send(message)

        self._drain.exchanges.add(exchange)
        try:
            await self.app(scope, receive, send_and_note)
        except asyncio.CancelledError:
            if not exchange.is_cut:
                raise
            task.uncancel()
            if not exchange.has_started:
                await _refuse(scope, receive, send)
            elif exchange.is_event_stream:
                body = GOODBYE if exchange.is_resumable else _error_event(scope["path"])
                await send({"type": "http.response.body", "body": body, "more_body": False})
        finally:
            self._drain.exchanges.discard(exchange)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    refusal = respond(STOPPING, scope)
    refusal.headers["Connection"] = "close"
    await refusal(scope, receive, send)


def _error_event(path: str) -> bytes:
    """The last event of the stream of a request that cannot be resumed."""
    error, _ = formatted(path, problem_of(STOPPING, path))
    return f"event: error\ndata: {error.model_dump_json()}\n\n".encode()


def _is_event_stream(start: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream") for name, value in start["headers"]
    )
