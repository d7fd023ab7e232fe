"""Limited and metered chat models, and the scripted one that they wrap here."""

import asyncio

import pytest

from answering.errors import BudgetSpent, ModelUnavailable
from answering.models import Budget, Chat, LimitedChat, Meter, MeteredChat, Usage
from tests.fakes.scripted_chat import ScriptedChat


async def test_a_metered_model_is_called_within_its_budget() -> None:
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


async def test_a_call_refused_by_another_budget_is_not_counted() -> None:
    meter = Meter(Budget(calls=1))
    poor = MeteredChat(ScriptedChat(lambda _: BudgetSpent("nothing left")), meter, "max_model_calls")
    with pytest.raises(BudgetSpent, match="nothing left"):
        await poor.complete("s", "m")
    assert meter.remaining.calls == 1


async def test_concurrency_is_limited() -> None:
    inside = ScriptedChat("yes", delay=0.01)
    chat = LimitedChat(inside, concurrency=2, timeout=5, attempts=3)
    await asyncio.gather(*(chat.complete("s", str(number)) for number in range(8)))
    assert (inside.peak, len(inside.calls), chat.name) == (2, 8, inside.name)
    await chat.aclose()
    assert inside.closed


async def test_the_scripted_model_replies_counts_tokens_and_fails() -> None:
    chat: Chat = ScriptedChat(lambda asked: asked.message.upper() if asked.message else ModelUnavailable("down"))
    completion = await chat.complete("one two", "three")
    assert (completion.text, completion.usage.input_tokens, completion.usage.output_tokens) == ("THREE", 3, 1)
    with pytest.raises(ModelUnavailable):
        await chat.complete("s", "")
