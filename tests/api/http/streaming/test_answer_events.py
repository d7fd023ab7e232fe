"""Steps of an answer as events."""

import asyncio
import json

import pytest

from api.http.streaming.replies import answer_events
from registry.answers.context import Progress
from registry.platform.errors import TooSlow

PATH = "/v1/corpora/default/answers"


async def test_a_failure_behind_a_step_is_an_event() -> None:
    async def answer(progress: Progress) -> object:
        await progress("voted", {"answers": ["red"]})
        await asyncio.sleep(0)
        raise TooSlow("It took too long.")

    voted, failed = [event async for event in answer_events(answer, PATH)]  # type: ignore[arg-type]  # it never answers
    assert voted.startswith("event: voted\ndata: ")
    assert json.loads(voted.partition("data: ")[2])["data"] == {"answers": ["red"]}
    assert failed.startswith("event: error\ndata: ")
    problem = json.loads(failed.partition("data: ")[2])
    assert (problem["status"], problem["detail"], problem["instance"]) == (504, "It took too long.", PATH)


async def test_a_failure_before_any_step_is_raised() -> None:
    async def answer(_progress: Progress) -> object:
        raise TooSlow("It took too long.")

    with pytest.raises(TooSlow):
        await anext(answer_events(answer, PATH))  # type: ignore[arg-type]


async def test_the_work_ends_with_the_iteration() -> None:
    ended = asyncio.Event()

    async def answer(progress: Progress) -> object:
        await progress("voted", {})
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return None

    events = answer_events(answer, PATH)  # type: ignore[arg-type]
    assert (await anext(events)).startswith("event: voted")
    await events.aclose()  # type: ignore[attr-defined]  # it is a generator
    assert ended.is_set()
