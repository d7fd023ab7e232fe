"""Chat models: what goes over the wire, the limits around them, and the scripted twin."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from answering.errors import BudgetSpent, ModelRefused, ModelTimeout, ModelUnavailable
from answering.models import Chat, LimitedChat, MeteredChat, Sampling, ScriptedChat
from answering.models.chat import SEED
from answering.models.openai import OpenAIChat
from answering.models.usage import Budget, Meter, Usage
from tests.fakes.openai_server import FakeOpenAIServer, dropped, fails, in_turn, says, slow


@pytest.fixture
async def model(server: FakeOpenAIServer) -> AsyncIterator[OpenAIChat]:
    model = OpenAIChat(base_url=server.url, model="fake", max_tokens=300)
    yield model
    await model.aclose()


def limited(chat: Chat, *, timeout: float = 5) -> LimitedChat:
    return LimitedChat(chat, concurrency=2, timeout=timeout, attempts=3)


async def test_sampling_goes_over_the_wire(server: FakeOpenAIServer, model: OpenAIChat) -> None:
    await model.complete("s", "m")
    await model.complete("s", "m", sampling=Sampling(0.7, seed=3, max_tokens=50))
    await model.complete("s", "m", sampling=Sampling(max_tokens=5_000))
    plain, warm, long = ({key: request.body[key] for key in WIRE} for request in server.requests)
    assert plain == {"temperature": 0, "seed": SEED, "max_tokens": 300}
    assert warm == {"temperature": 0.7, "seed": 3, "max_tokens": 50}
    assert long["max_tokens"] == 300


WIRE = ("temperature", "seed", "max_tokens")


async def test_a_metered_model_is_asked_within_its_budget() -> None:
    meter, model = Meter(Budget(calls=3)), ScriptedChat("yes")
    chat = MeteredChat(model, meter, "max_model_calls")
    assert (await chat.complete("s", "m")).text == "yes"
    meter.add(Usage(1))
    failing = MeteredChat(ScriptedChat(lambda _: ModelUnavailable("away")), meter, "max_model_calls")
    with pytest.raises(ModelUnavailable):
        await failing.complete("s", "m")
    with pytest.raises(BudgetSpent, match="max_model_calls"):
        await chat.complete("s", "m")
    assert len(model.calls) == 1


async def test_a_call_that_its_key_cannot_pay_is_given_back() -> None:
    meter = Meter(Budget(calls=1))
    poor = MeteredChat(ScriptedChat(lambda _: BudgetSpent("nothing left")), meter, "max_model_calls")
    with pytest.raises(BudgetSpent, match="nothing left"):
        await poor.complete("s", "m")
    assert meter.remaining.calls == 1


async def test_what_may_succeed_is_tried_again_and_counted_once(server: FakeOpenAIServer, model: OpenAIChat) -> None:
    server.chat = in_turn(fails(503), dropped(), says("Ada", prompt_tokens=20, completion_tokens=2))
    completion = await limited(model).complete("s", "m")
    assert (completion.text, completion.usage.input_tokens, completion.usage.output_tokens) == ("Ada", 20, 2)
    assert len(server.requests) == 3


async def test_what_cannot_succeed_is_not(server: FakeOpenAIServer, model: OpenAIChat) -> None:
    server.chat = fails(401)
    with pytest.raises(ModelRefused):
        await limited(model).complete("s", "m")
    assert len(server.requests) == 1


async def test_a_slow_model_is_given_up(server: FakeOpenAIServer, model: OpenAIChat) -> None:
    server.chat = slow("Ada", 5)
    with pytest.raises(ModelTimeout):
        await LimitedChat(model, concurrency=1, timeout=0.05, attempts=1).complete("s", "m")


async def test_no_more_at_once_than_allowed() -> None:
    inside = ScriptedChat("yes", delay=0.01)
    chat = limited(inside)
    await asyncio.gather(*(chat.complete("s", str(number)) for number in range(8)))
    assert (inside.peak, len(inside.calls), chat.name) == (2, 8, inside.name)
    await chat.aclose()
    assert inside.closed


async def test_the_scripted_model_says_counts_and_fails() -> None:
    chat: Chat = ScriptedChat(lambda asked: asked.message.upper() if asked.message else ModelUnavailable("down"))
    completion = await chat.complete("one two", "three")
    assert (completion.text, completion.usage.input_tokens, completion.usage.output_tokens) == ("THREE", 3, 1)
    with pytest.raises(ModelUnavailable):
        await chat.complete("s", "")
