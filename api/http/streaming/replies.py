"""An answer or a reply while it is made: its steps, itself, and comments that keep the connection open."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import StreamingResponse

from api.chat.chat import ChatRequest
from api.chat.reply import Reply
from api.http.error_responses import problem_of
from api.http.metrics import Metrics
from api.http.schemas.answers import AnswerView
from api.http.schemas.base import EventView
from registry.answers.question import Progress, silent
from registry.platform.database.base import Json

# Proxies close a connection on which nothing comes for a minute or less.
PING_SECONDS = 15.0
PING = ": ping\n\n"


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened while an answer is made."""

    kind: str
    data: Json


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why there is no reply."""

    error: Exception


Made = TypeVar("Made", Reply, AnswerView)
Work: TypeAlias = Callable[[Progress], Coroutine[Any, Any, Made]]
Item: TypeAlias = Step | Made | Failure | None


def counted(chat: ChatRequest, metrics: Metrics) -> Work[Reply]:
    async def answer(progress: Progress = silent) -> Reply:
        reply = await chat.answer(progress)
        if reply.result is not None:
            metrics.count_answer(reply.result)
        return reply

    return answer


async def follow(answer: Work[Made]) -> AsyncGenerator[Item[Made], None]:
    """The steps, then what was made or the failure; None when nothing happened for `PING_SECONDS`.

    The work ends with the iteration: the server ends that of a response when the client disconnects.
    """
    queue: asyncio.Queue[Step | Made | Failure] = asyncio.Queue()

    async def report(kind: str, data: Json) -> None:
        queue.put_nowait(Step(kind, data))

    async def work() -> None:
        try:
            queue.put_nowait(await answer(report))
        except Exception as error:  # noqa: BLE001  (the status has been sent: every failure is told in the stream)
            queue.put_nowait(Failure(error))

    task = asyncio.create_task(work())
    try:
        item: Item[Made] = None
        while item is None or isinstance(item, Step):
            try:
                item = await asyncio.wait_for(queue.get(), PING_SECONDS)
            except TimeoutError:
                item = None
            yield item
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def answer_events(answer: Work[AnswerView], path: str) -> AsyncIterator[str]:
    """The server-sent events of an answer. A failure before the first one is raised; a later one is the event `error`,
    whose data is a problem. The work ends with the iteration.
    """
    has_begun = False
    async with aclosing(follow(answer)) as items:
        async for item in items:
            if isinstance(item, Step):
                has_begun = True
                yield _event(item.kind, item.data)
            elif isinstance(item, Failure):
                if not has_begun:
                    raise item.error
                yield f"event: error\ndata: {problem_of(item.error, path).model_dump_json()}\n\n"
            elif item is not None:
                yield _event("answered", item.model_dump(mode="json"))
            elif has_begun:
                yield PING


def _event(kind: str, data: Json) -> str:
    view = EventView(kind=kind, created_at=datetime.now(UTC), data=data)
    return f"event: {kind}\ndata: {view.model_dump_json()}\n\n"


def stream_response(events: AsyncIterator[str]) -> StreamingResponse:
    """Server-sent events as they are made."""
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


Result = TypeVar("Result")


async def cancel_on_disconnect(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of the work, which is cancelled once the client disconnects; raises `ClientDisconnect` then.

    The body of the request must have been read. With an idempotency key the work goes on, as the client can repeat the
    request: `Idempotency` reports no disconnect.
    """
    working, leaving = asyncio.create_task(work), asyncio.create_task(_disconnect(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return await working
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
