"""Replies while they are made: steps, failures, and clients that go away."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from answering.embedders import Embedder
from answering.errors import ModelTimeout
from api.chat.reply import Reply
from api.http.routes.chat_completions import ChatChunks
from api.http.routes.responses import ResponseEvents
from api.http.schemas.responses import ResponseInput, ResponseView
from api.http.streaming import replies
from api.http.streaming.replies import Work, answer_events, follow
from registry.answers.question import Progress
from registry.platform.errors import TooSlow
from registry.platform.settings import Settings
from tests.api.http.conftest import CORPUS, serving
from tests.eventually import eventually
from tests.registry.world import colour_reader, question


async def debate(progress: Progress) -> Reply:
    await progress("debate_began", {"strategy": "madam", "documents": 3})
    await progress("voted", {"answers": ["red"]})
    await progress("turn_ended", {"agent": "d1", "round": 1, "status": "answered", "said": "red, as I say"})
    return Reply("**red**\n\nTwo say so.")


async def data_of(work: Work[Reply]) -> list[dict[str, Any]]:
    events = [
        event async for event in ChatChunks("credence/default", uuid4(), include_usage=False).encode(follow(work))
    ]
    return [json.loads(event.removeprefix("data: ")) for event in events if event.startswith("data: {")]


async def test_turns_of_a_debate_are_shown_while_they_happen() -> None:
    shown = [chunk["event"]["data"]["description"] for chunk in await data_of(debate) if "event" in chunk]
    assert shown[1:-1] == ["Debate (madam) over 3 documents", "Round 1, d1: red, as I say"]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ModelTimeout("No reply within 60 seconds."), "reader-timeout", "60 seconds"),
        (KeyError("secret"), "internal-error", "log"),
    ],
)
async def test_a_failure_after_the_status_is_told_in_the_stream(error: Exception, code: str, message: str) -> None:
    async def fail(_progress: Progress) -> Reply:
        raise error

    failure = (await data_of(fail))[-1]["error"]
    assert (failure["code"], failure["type"]) == (code, "server_error")
    assert message in failure["message"]
    assert "secret" not in failure["message"]


async def test_the_connection_is_kept_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "PING_SECONDS", 0.01)

    async def slow(_progress: Progress) -> Reply:
        await asyncio.sleep(0.05)
        return Reply("done")

    assert replies.PING in [event async for event in ChatChunks("m", uuid4(), include_usage=False).encode(follow(slow))]


async def test_the_work_ends_with_the_stream() -> None:
    ended = asyncio.Event()

    async def endless(progress: Progress) -> Reply:
        try:
            await progress("voted", {})
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    items: AsyncIterator[object] = follow(endless)
    await anext(items)
    await items.aclose()  # type: ignore[attr-defined]  # a generator
    assert ended.is_set()


async def test_readings_end_when_the_client_goes(settings: Settings, embedder: Embedder) -> None:
    reader = colour_reader(delay=30)
    with serving(settings, reader, embedder) as url:
        async with httpx.AsyncClient(base_url=url) as client:
            source = (await client.post(f"{CORPUS}/sources", json={"name": "Herald"})).json()["id"]
            document = {"content": "The tower of Aldra is painted red."}
            await client.post(f"{CORPUS}/sources/{source}/documents", json=document)
            body = {
                "model": "credence/default",
                "messages": [{"role": "user", "content": question("Aldra")}],
                "stream": True,
            }
            async with client.stream("POST", "/v1/chat/completions", json=body) as response:
                async for _ in response.aiter_lines():
                    if reader.calls:
                        break
                    # The first chunks come before anything is read.
                    await asyncio.sleep(0.2)
            assert reader.calls
            await eventually(lambda: reader._in_progress == 0, seconds=10)


async def test_a_response_that_fails_says_so() -> None:
    async def fail(_progress: Progress) -> Reply:
        raise ModelTimeout("No reply within 60 seconds.")

    response = ResponseView.begun(ResponseInput(model="credence/default", input="What?"), uuid4())
    events = [event async for event in ResponseEvents(response).encode(follow(fail))]
    names = [event.partition("\n")[0].removeprefix("event: ") for event in events]
    assert names == ["response.created", "response.in_progress", "error", "response.failed"]
    assert '"code":"reader-timeout"' in events[-1]


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
