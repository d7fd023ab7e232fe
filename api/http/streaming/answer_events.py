"""An answer while it is made: its steps as server-sent events, and then the answer itself."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from datetime import UTC, datetime
from typing import Any, TypeAlias

from api.http.error_responses import problem_of
from api.http.schemas.answers import AnswerView
from api.http.schemas.events import EventView
from api.http.streaming.replies import PING, PING_SECONDS
from registry.answers.progress import Progress
from registry.platform.database.base import Json

ANSWERED = "answered"

AnswerWork: TypeAlias = Callable[[Progress], Coroutine[Any, Any, AnswerView]]


async def answer_events(answer: AnswerWork, path: str) -> AsyncIterator[str]:
    """The events. A failure before the first one is raised; a later one is the event `error`, whose data is a problem.

    The work ends with the iteration.
    """
    steps: asyncio.Queue[str] = asyncio.Queue()

    async def report(kind: str, data: Json) -> None:
        steps.put_nowait(_event(kind, data))

    work = asyncio.create_task(answer(report))
    has_begun = False
    try:
        while not (work.done() and steps.empty()):
            step = asyncio.create_task(steps.get())
            await asyncio.wait({step, work}, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if step.done():
                has_begun = True
                yield step.result()
                continue
            step.cancel()
            if not work.done() and has_begun:
                yield PING
        failure = work.exception()
        if isinstance(failure, Exception) and has_begun:
            yield f"event: error\ndata: {problem_of(failure, path).model_dump_json()}\n\n"
            return
        yield _event(ANSWERED, work.result().model_dump(mode="json"))
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


def _event(kind: str, data: Json) -> str:
    view = EventView(kind=kind, created_at=datetime.now(UTC), data=data)
    return f"event: {kind}\ndata: {view.model_dump_json()}\n\n"
