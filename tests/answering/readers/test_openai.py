"""Reading with a model behind a URL: requests, replies, failures."""

import asyncio

import pytest

from answering.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelUnavailable,
    UnreadableReply,
)
from answering.models import SEED, OpenAIChat
from answering.readers import ChatReader
from tests.fakes.openai_server import FakeOpenAIServer, Reply, dropped, fails, nonsense, says, slow


async def test_the_request_is_reproducible_and_bounded(server: FakeOpenAIServer, chat_reader: ChatReader) -> None:
    await chat_reader.read("Who?", ["Somebody."])
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer secret"
    body = request.body
    assert (body["model"], body["temperature"], body["seed"], body["stream"]) == ("fake", 0, SEED, False)
    assert body["max_tokens"] <= 1024


async def test_the_system_prompt_is_the_same_for_every_question(
    server: FakeOpenAIServer, chat_reader: ChatReader
) -> None:
    await chat_reader.read("Who?", ["Somebody."])
    await chat_reader.read("When?", ["Once upon a time."])
    first, second = (request.body["messages"] for request in server.requests)
    assert [message["role"] for message in first] == ["system", "user"]
    assert first[0] == second[0]
    assert "Somebody." in first[1]["content"]
    assert first[1]["content"].rindex("Who?") > first[1]["content"].index("Somebody.")


async def test_a_key_in_the_environment_is_not_sent(server: FakeOpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-somebody-else")
    reader = ChatReader(OpenAIChat(base_url=server.url, model="fake"))
    await reader.read("Who?", ["Somebody."])
    assert "of-somebody-else" not in server.requests[0].headers["authorization"]
    await reader.aclose()


async def test_a_server_on_this_machine_is_not_asked_through_a_proxy(
    server: FakeOpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    reader = ChatReader(OpenAIChat(base_url=server.url, model="fake"))
    assert (await reader.read("Who?", ["Somebody."])).answer is None
    await reader.aclose()


async def test_tokens_are_counted(server: FakeOpenAIServer, chat_reader: ChatReader) -> None:
    server.chat = says("Ada", prompt_tokens=321, completion_tokens=4)
    usage = (await chat_reader.read("Who?", ["Ada."])).usage
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens) == (1, 321, 4)


FAILURES: list[tuple[Reply, type[ModelError]]] = [
    (fails(400, "context too long"), ModelRefused),
    (fails(401), ModelRefused),
    (fails(403), ModelRefused),
    (fails(404, "no such model"), ModelRefused),
    (fails(422), ModelRefused),
    (fails(408), ModelUnavailable),
    (fails(429), ModelRateLimited),
    (fails(500), ModelUnavailable),
    (fails(503), ModelUnavailable),
    (dropped(), ModelUnavailable),
    (nonsense(), UnreadableReply),
    (nonsense("{]", "application/json"), UnreadableReply),
    (nonsense("[]", "application/json"), UnreadableReply),
    (nonsense("null", "application/json"), UnreadableReply),
    (nonsense("{}", "application/json"), UnreadableReply),
    (nonsense('{"choices": []}', "application/json"), UnreadableReply),
    (nonsense('{"choices": null}', "application/json"), UnreadableReply),
    (nonsense('{"choices": [{}]}', "application/json"), UnreadableReply),
    (nonsense('{"error": {"message": "overloaded"}}', "application/json"), UnreadableReply),
    (nonsense("", "application/json"), UnreadableReply),
    (says(""), UnreadableReply),
    (says(" \n\t "), UnreadableReply),
    (says(None), UnreadableReply),
    (says("and so on " * 10_000), UnreadableReply),
]


@pytest.mark.parametrize(("reply", "error"), FAILURES)
async def test_failures_are_translated(
    server: FakeOpenAIServer, chat_reader: ChatReader, reply: Reply, error: type[ModelError]
) -> None:
    server.chat = reply
    with pytest.raises(ModelError) as raised:
        await chat_reader.read("Who?", ["Somebody."])
    assert type(raised.value) is error
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "setting"), [(401, "CREDENCE_READER_API_KEY"), (404, "CREDENCE_READER_MODEL"), (400, "READER_URL")]
)
async def test_a_refusal_names_the_setting_to_look_at(
    server: FakeOpenAIServer, chat_reader: ChatReader, status: int, setting: str
) -> None:
    server.chat = fails(status, "a text of the server's own")
    with pytest.raises(ModelRefused, match=setting) as raised:
        await chat_reader.read("Who?", ["Somebody."])
    # A server that refuses a key may repeat parts of it.
    assert ("own" in str(raised.value)) == (status != 401)


async def test_a_server_that_is_not_there_is_unavailable(server: FakeOpenAIServer, chat_reader: ChatReader) -> None:
    server.stop()
    with pytest.raises(ModelUnavailable, match="CREDENCE_READER_URL"):
        await chat_reader.read("Who?", ["Somebody."])


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("0.5", 0.5), ("nan", None), ("-3", None), ("soon", None)])
async def test_retry_after_in_seconds(
    server: FakeOpenAIServer, chat_reader: ChatReader, header: str, seconds: float | None
) -> None:
    server.chat = Reply(b"{}", 429, {"Retry-After": header})
    with pytest.raises(ModelRateLimited) as raised:
        await chat_reader.read("Who?", ["Somebody."])
    assert raised.value.retry_after == seconds


async def test_retry_after_as_a_date(server: FakeOpenAIServer, chat_reader: ChatReader) -> None:
    server.chat = Reply(b"{}", 503, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"})
    with pytest.raises(ModelUnavailable) as raised:
        await chat_reader.read("Who?", ["Somebody."])
    assert raised.value.retry_after is not None
    assert raised.value.retry_after > 1e9


async def test_a_reading_can_be_cancelled(server: FakeOpenAIServer, chat_reader: ChatReader) -> None:
    server.chat = slow("late", 30)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await chat_reader.read("Who?", ["Somebody."])
    server.chat = "in time"
    assert (await chat_reader.read("Who?", ["Somebody."])).answer == "in time"
