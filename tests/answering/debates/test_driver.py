"""The driver of debates: concurrency, transcript, services, events and errors."""

import asyncio
from collections.abc import Sequence

import pytest

from answering.debates.driver import DebateEnded, DebateLimits, Event, TurnBegan, TurnEnded, run
from answering.debates.execution import REMINDER, Services
from answering.debates.protocol import Debate, DebateResult, Read, Reply, Request, Search, SourceDocument, ask
from answering.debates.schema import ReplyStatus, StopReason, TurnKind
from answering.errors import (
    BadParameter,
    BudgetSpent,
    MissingService,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    UnexpectedReplies,
)
from answering.models import Completion, Sampling
from answering.models.chat import GREEDY
from tests.answering.debates.examples import (
    DOCUMENTS,
    LENA,
    PROMPT,
    SilentAfter,
    asks,
    limits,
    many_rounds,
    one_round,
    single,
)
from tests.eventually import eventually
from tests.fakes.scripted_chat import ScriptedChat
from tests.fakes.scripted_reader import ScriptedReader
from tests.tables import for_each


async def test_replies_come_in_the_order_of_the_requests_and_side_by_side() -> None:
    chat = ScriptedChat(lambda asked: asked.message.rsplit(" ", 1)[1], delay=0.01)
    done = await run(one_round(7), Services(chat), limits())
    assert done.explanation == "1,2,3,4,5,6,7"
    assert chat.peak == 3
    assert [turn.agent for turn in done.transcript] == [f"agent {n}" for n in range(1, 8)]


async def test_the_transcript_tells_prompt_tokens_and_time() -> None:
    done = await run(one_round(2), Services(ScriptedChat("42", delay=0.01)), limits())
    turn = done.transcript[0]
    assert (turn.prompt, turn.prompt_hash, turn.said, turn.kind) == (PROMPT.name, PROMPT.hash, "42", TurnKind.ASK)
    assert (turn.usage.model_calls, turn.usage.output_tokens) == (1, 1)
    assert turn.usage.milliseconds > 0
    assert done.usage.model_calls == 2
    assert done.usage.input_tokens == sum(turn.usage.input_tokens for turn in done.transcript)
    assert done.seconds > 0


async def test_an_unreadable_reply_is_asked_for_once_more() -> None:
    chat = ScriptedChat(lambda asked: "7" if REMINDER in asked.message else "seven")
    done = await run(one_round(1), Services(chat), limits())
    assert done.explanation == "7"
    assert [call.message for call in chat.calls] == ["message 1", f"message 1\n\n{REMINDER}"]
    (turn,) = done.transcript
    assert (turn.status, turn.said, turn.unreadable) == (ReplyStatus.ANSWERED, "7", ("seven",))
    assert turn.usage.model_calls == 2


async def test_twice_unreadable_is_an_abstention_on_record() -> None:
    done = await run(one_round(1), Services(ScriptedChat("well...")), limits())
    (turn,) = done.transcript
    assert (turn.status, turn.unreadable, done.explanation) == (ReplyStatus.UNREADABLE, ("well...",) * 2, "None")


async def test_a_model_that_fails_once_is_a_failed_reply() -> None:
    chat = ScriptedChat(lambda asked: ModelUnavailable("down") if asked.message.endswith("2") else "1")
    done = await run(one_round(3), Services(chat), limits())
    assert done.explanation == "1,None,1"
    assert (done.transcript[1].status, done.transcript[1].error) == (ReplyStatus.FAILED, "down")


@pytest.mark.parametrize("failure", [ModelUnavailable("down"), ModelTimeout("slow")])
async def test_a_model_that_never_replies_is_an_error(failure: ModelError) -> None:
    with pytest.raises(type(failure)):
        await run(one_round(3), Services(ScriptedChat(lambda _: failure)), limits())


@for_each(
    "request_",
    [asks(1)[0], Read("agent", 1, "Who?", LENA), Search("agent", 1, "query", 3)],
)
async def test_a_missing_service_is_named(request_: Request) -> None:
    with pytest.raises(MissingService, match=r"model|reader|search"):
        await run(single(request_), Services(), limits())


async def test_readers_read_one_document() -> None:
    reader = ScriptedReader({"Who?": "Lena Dahl"})
    done = await run(single(Read("agent 1", 1, "Who?", LENA)), Services(reader=reader), limits())
    assert reader.calls[0].passages == (LENA.text,)
    (turn,) = done.transcript
    assert (turn.kind, turn.prompt, turn.prompt_hash, turn.said) == (
        TurnKind.READ,
        reader.name,
        reader.prompt_hash,
        "Lena Dahl",
    )


class Shelf:
    def __init__(self) -> None:
        self.asked: list[tuple[str, int, bool]] = []

    async def search(self, query: str, *, limit: int, selected_only: bool) -> Sequence[SourceDocument]:
        self.asked.append((query, limit, selected_only))
        return DOCUMENTS[:limit]


async def test_searches_are_on_record_and_are_no_call_of_a_model() -> None:
    shelf = Shelf()
    request = Search("challenger", 2, "choirs", 2, selected_only=False)
    done = await run(single(request), Services(searcher=shelf), limits(calls=1))
    assert shelf.asked == [("choirs", 2, False)]
    (turn,) = done.transcript
    assert (turn.kind, turn.said, done.usage.model_calls) == (TurnKind.SEARCH, "choirs: d1, d2", 0)


async def test_events_come_as_things_happen() -> None:
    events: list[Event] = []

    async def listen(event: Event) -> None:
        events.append(event)

    done = await run(one_round(2), Services(ScriptedChat("1")), DebateLimits(concurrency=1), listen)
    assert [type(event) for event in events] == [TurnBegan, TurnEnded, TurnBegan, TurnEnded, DebateEnded]
    assert events[-1] == DebateEnded(done)


async def test_cancelling_a_run_closes_the_debate() -> None:
    closed = asyncio.Event()

    def debate() -> Debate:
        try:
            yield from ask(asks(1))
        finally:
            closed.set()
        return DebateResult((), "", StopReason.ANSWERED, 1)

    chat = SilentAfter(0)
    running = asyncio.create_task(run(debate(), Services(chat), limits()))
    await eventually(lambda: chat.under_way)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert closed.is_set()


def test_a_debate_needs_one_reply_for_each_request() -> None:
    debate = one_round(2)
    next(debate)
    with pytest.raises(UnexpectedReplies):
        debate.send([Reply(1, ReplyStatus.ANSWERED)])


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
