"""What the driver does when calls, tokens or time run out."""

import asyncio

import pytest

from answering.debates.driver import DebateLimits, run
from answering.debates.execution import Services
from answering.debates.protocol import Debate, DebateResult, ask
from answering.debates.schema import ReplyStatus, StopReason
from answering.errors import BadParameter, BudgetSpent
from answering.models import Completion, Sampling, ScriptedChat
from answering.models.chat import GREEDY
from tests.answering.debates.examples import SilentAfter, limits, many_rounds, one_round
from tests.tables import for_each


async def test_calls_are_never_exceeded_and_the_debate_is_notified() -> None:
    chat = ScriptedChat("1")
    done = await run(many_rounds(3, 10), Services(chat), limits(calls=7))
    assert len(chat.calls) == 7
    assert (done.stop_reason, done.rounds, done.usage.model_calls) == (StopReason.OUT_OF_BUDGET, 2, 7)
    statuses = [turn.status for turn in done.transcript if turn.round == 3]
    assert sorted(statuses) == sorted([ReplyStatus.ANSWERED, ReplyStatus.OUT_OF_BUDGET, ReplyStatus.OUT_OF_BUDGET])


async def test_the_second_attempt_is_in_the_budget_too() -> None:
    chat = ScriptedChat("well...")
    done = await run(one_round(1), Services(chat), limits(calls=1))
    assert len(chat.calls) == 1
    assert (done.transcript[0].status, done.transcript[0].unreadable) == (ReplyStatus.OUT_OF_BUDGET, ("well...",))


async def test_a_spent_quota_counts_as_a_spent_budget() -> None:
    chat = ScriptedChat(lambda _: BudgetSpent("all gone") if len(chat.calls) > 3 else "1")
    done = await run(many_rounds(3, 10), Services(chat), limits())
    assert (done.stop_reason, done.rounds, done.usage.model_calls) == (StopReason.OUT_OF_BUDGET, 1, 3)
    assert {turn.status for turn in done.transcript} == {ReplyStatus.ANSWERED, ReplyStatus.OUT_OF_BUDGET}


async def test_no_call_begins_when_the_tokens_are_spent() -> None:
    done = await run(many_rounds(1, 100), Services(ScriptedChat("1")), limits(tokens=1_000))
    each = done.transcript[0].usage.input_tokens + 1
    assert done.stop_reason is StopReason.OUT_OF_BUDGET
    assert 1_000 <= done.usage.input_tokens + done.usage.output_tokens < 1_000 + each


async def test_a_call_under_way_is_cut_off_when_the_seconds_are_over() -> None:
    done = await run(many_rounds(3, 10), Services(SilentAfter(3)), limits(seconds=1))
    assert (done.stop_reason, done.rounds) == (StopReason.OUT_OF_BUDGET, 1)


async def test_a_request_that_takes_too_long_fails_alone() -> None:
    class Slow(ScriptedChat):
        async def complete(self, system: str, message: str, *, sampling: Sampling = GREEDY) -> Completion:
            if message == "message 2":
                await asyncio.Event().wait()
            return await super().complete(system, message, sampling=sampling)

    done = await run(one_round(3), Services(Slow("1")), limits(timeout=0.5))
    assert done.explanation == "1,None,1"
    assert done.transcript[1].status is ReplyStatus.FAILED
    assert done.transcript[1].error == "No reply within 0.5 seconds."


@for_each("wrong", [{"concurrency": 0}, {"timeout": 0}, {"timeout": float("nan")}])
def test_limits_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(BadParameter):
        DebateLimits(**wrong)  # type: ignore[arg-type]


async def test_a_debate_that_asks_nothing_costs_nothing() -> None:
    def debate() -> Debate:
        yield from ask([])
        return DebateResult((), "none", StopReason.NO_DOCUMENTS, 0)

    done = await run(debate(), Services(), limits(calls=0))
    assert (done.explanation, done.transcript) == ("none", ())
