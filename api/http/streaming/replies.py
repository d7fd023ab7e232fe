"""A reply while it is made: its steps, the reply itself, and comments that keep the connection open."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeAlias

from starlette.responses import StreamingResponse

from api.chat.chat import ChatRequest
from api.chat.reply import Reply
from api.http.metrics import Metrics
from registry.answers.progress import Progress, silent
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


AnswerWork: TypeAlias = Callable[[Progress], Coroutine[Any, Any, Reply]]
Item: TypeAlias = Step | Reply | Failure | None


def counted(chat: ChatRequest, metrics: Metrics) -> AnswerWork:
    """Answers the request, and counts the answer."""

    async def answer(progress: Progress = silent) -> Reply:
        reply = await chat.answer(progress)
        if reply.result is not None:
            metrics.count_answer(reply.result)
        return reply

    return answer


async def follow(answer: AnswerWork) -> AsyncIterator[Item]:
    """The steps, then the reply or the failure; None when nothing happened for `PING_SECONDS`.

    The work ends with the iteration: the server ends that of a response when the client disconnects.
    """
    queue: asyncio.Queue[Step | Reply | Failure] = asyncio.Queue()

    async def report(kind: str, data: Json) -> None:
        queue.put_nowait(Step(kind, data))

    async def work() -> None:
        try:
            queue.put_nowait(await answer(report))
        except Exception as error:  # noqa: BLE001  (the status has been sent: every failure is told in the stream)
            queue.put_nowait(Failure(error))

    task = asyncio.create_task(work())
    try:
        item: Item = None
        while not isinstance(item, Reply | Failure):
            try:
                item = await asyncio.wait_for(queue.get(), PING_SECONDS)
            except TimeoutError:
                item = None
            yield item
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def stream_response(events: AsyncIterator[str]) -> StreamingResponse:
    """Server-sent events as they are made."""
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)
