"""Chat with a model behind a URL: requests, and retries by `LimitedChat`."""

from collections.abc import AsyncIterator

import pytest

from answering.errors import ModelRefused, ModelTimeout
from answering.models import Chat, LimitedChat, Sampling
from answering.models.chat import SEED
from answering.models.openai import OpenAIChat
from tests.fakes.openai_server import FakeOpenAIServer, dropped, fails, in_turn, says, slow


@pytest.fixture
async def model(server: FakeOpenAIServer) -> AsyncIterator[OpenAIChat]:
    model = OpenAIChat(base_url=server.url, model="fake", max_tokens=300)
    yield model
    await model.aclose()


def limited(chat: Chat, *, timeout: float = 60) -> LimitedChat:
    return LimitedChat(chat, concurrency=2, timeout=timeout, attempts=3)


async def test_sampling_is_part_of_the_request(server: FakeOpenAIServer, model: OpenAIChat) -> None:
    await model.complete("s", "m")
    await model.complete("s", "m", sampling=Sampling(0.7, seed=3, max_tokens=50))
    await model.complete("s", "m", sampling=Sampling(max_tokens=5_000))
    plain, warm, long = ({key: request.body[key] for key in WIRE} for request in server.requests)
    assert plain == {"temperature": 0, "seed": SEED, "max_tokens": 300}
    assert warm == {"temperature": 0.7, "seed": 3, "max_tokens": 50}
    assert long["max_tokens"] == 300


WIRE = ("temperature", "seed", "max_tokens")


async def test_a_retried_completion_is_counted_once(server: FakeOpenAIServer, model: OpenAIChat) -> None:
    server.chat = in_turn(fails(503), dropped(), says("Ada", prompt_tokens=20, completion_tokens=2))
    completion = await limited(model).complete("s", "m")
    assert (completion.text, completion.usage.input_tokens, completion.usage.output_tokens) == ("Ada", 20, 2)
    assert len(server.requests) == 3


async def test_a_refused_completion_is_not_retried(server: FakeOpenAIServer, model: OpenAIChat) -> None:
    server.chat = fails(401)
    with pytest.raises(ModelRefused):
        await limited(model).complete("s", "m")
    assert len(server.requests) == 1


async def test_a_slow_model_times_out(server: FakeOpenAIServer, model: OpenAIChat) -> None:
    server.chat = slow("Ada", 5)
    with pytest.raises(ModelTimeout):
        await LimitedChat(model, concurrency=1, timeout=0.05, attempts=1).complete("s", "m")
