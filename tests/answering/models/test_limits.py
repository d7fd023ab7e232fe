"""Limits of model calls, around a reader: concurrency, time, attempts, and a server that is dead."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

import pytest

from answering.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    UnreadableReply,
)
from answering.models.limits import FAILURES_TO_OPEN, LONGEST_WAIT, REST_SECONDS, CircuitBreaker
from answering.readers import ChatReader, Reading
from answering.readers.wrappers import LimitedReader
from tests.fakes.openai_server import FakeOpenAIServer, Reply, dropped, fails, in_turn, nonsense, says, slow
from tests.fakes.scripted_reader import ScriptedReader


def limited(reader: ChatReader | ScriptedReader, *, timeout: float = 60, attempts: int = 3) -> LimitedReader:
    return LimitedReader(reader, concurrency=4, timeout=timeout, attempts=attempts)


@pytest.fixture
async def reader(chat_reader: ChatReader) -> AsyncIterator[LimitedReader]:
    reader = limited(chat_reader)
    yield reader
    await reader.aclose()


async def test_name_and_prompt_hash_are_those_of_the_wrapped_reader() -> None:
    inside = ScriptedReader(name="somebody")
    reader = limited(inside)
    assert (reader.name, reader.prompt_hash) == (inside.name, inside.prompt_hash)
    await reader.aclose()
    assert inside.closed


async def test_concurrency_is_limited() -> None:
    inside = ScriptedReader(delay=0.02)
    reader = limited(inside)
    await asyncio.gather(*(reader.read(f"question {n}", []) for n in range(20)))
    assert inside.peak == 4
    assert len(inside.calls) == 20


@pytest.mark.parametrize("first", [fails(500), fails(503), fails(408), fails(429), dropped(), says(""), nonsense()])
async def test_transient_failures_are_retried(server: FakeOpenAIServer, reader: LimitedReader, first: Reply) -> None:
    server.chat = in_turn(first, "Ada")
    assert (await reader.read("Who?", ["Ada."])).answer == "Ada"
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_permanent_failures_are_not_retried(server: FakeOpenAIServer, reader: LimitedReader, status: int) -> None:
    server.chat = fails(status)
    with pytest.raises(ModelRefused):
        await reader.read("Who?", ["Ada."])
    assert len(server.requests) == 1


async def test_a_failure_names_address_setting_and_the_start_of_the_reply(
    server: FakeOpenAIServer, reader: LimitedReader
) -> None:
    for status, setting in ((500, "CREDENCE_READER_URL"), (404, "CREDENCE_READER_MODEL")):
        server.chat = fails(status, "out of\nmemory " * 100)
        with pytest.raises(ModelError) as failure:
            await reader.read("Who?", ["Ada."])
        message = str(failure.value)
        assert all(words in message for words in (server.url, setting, str(status), "and said", "out of"))
        assert len(message.splitlines()) == 1
        assert len(message) < 600
    server.chat = fails(401)
    with pytest.raises(ModelRefused, match="CREDENCE_READER_API_KEY") as refused:
        await reader.read("Who?", ["Ada."])
    assert "and said" not in str(refused.value)


async def test_attempts_are_limited(server: FakeOpenAIServer, reader: LimitedReader) -> None:
    server.chat = fails(500)
    with pytest.raises(ModelUnavailable, match="status 500"):
        await reader.read("Who?", ["Ada."])
    assert len(server.requests) == 3


async def test_an_unreadable_reply_is_retried_once(server: FakeOpenAIServer, reader: LimitedReader) -> None:
    server.chat = nonsense()
    with pytest.raises(UnreadableReply):
        await reader.read("Who?", ["Ada."])
    assert len(server.requests) == 2


async def test_retry_after_is_honoured(
    server: FakeOpenAIServer, reader: LimitedReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    server.chat = in_turn(fails(429, retry_after=7), "Ada")
    monkeypatch.setattr(asyncio, "sleep", sleep)
    await reader.read("Who?", ["Ada."])
    assert max(slept) == 7


async def test_a_long_retry_after_is_not_waited_for(server: FakeOpenAIServer, reader: LimitedReader) -> None:
    server.chat = fails(429, retry_after=LONGEST_WAIT + 1)
    with pytest.raises(ModelRateLimited) as raised:
        await reader.read("Who?", ["Ada."])
    assert raised.value.retry_after == LONGEST_WAIT + 1
    assert len(server.requests) == 1


async def test_each_attempt_has_the_whole_timeout() -> None:
    class Slow(ScriptedReader):
        async def read(self, question: str, passages: Sequence[str], contexts: Sequence[str] = ()) -> Reading:
            reading = await super().read(question, passages, contexts)
            if len(self.calls) < 3:
                await asyncio.Event().wait()
            return reading

    assert (await limited(Slow({"Who?": "Ada"}), timeout=0.5).read("Who?", ["Ada."])).answer == "Ada"


async def test_a_server_that_hangs_times_out(server: FakeOpenAIServer, chat_reader: ChatReader) -> None:
    server.chat = slow("late", 30)
    with pytest.raises(ModelTimeout, match="CREDENCE_READER_TIMEOUT_SECONDS"):
        await limited(chat_reader, timeout=0.1, attempts=2).read("Who?", ["Ada."])


async def failure_of(reader: LimitedReader, question: str = "Who?") -> ModelError | None:
    try:
        await reader.read(question, ["Ada."])
    except ModelError as error:
        return error
    return None


async def test_thousands_of_readings_do_not_wait_for_a_dead_server(
    server: FakeOpenAIServer, chat_reader: ChatReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("answering.models.limits.REST_SECONDS", 3600)
    server.chat = slow("late", 3600)
    reader = limited(chat_reader, timeout=0.2, attempts=2)
    failures = await asyncio.gather(*(failure_of(reader, f"question {n}") for n in range(2000)))
    assert all(isinstance(failure, ModelUnavailable) for failure in failures)
    assert len(server.requests) <= 2 * (FAILURES_TO_OPEN + 4)


async def test_a_server_that_comes_back_is_read_again(
    server: FakeOpenAIServer, chat_reader: ChatReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    circuit_breaker = partial(CircuitBreaker, clock=lambda: now)
    monkeypatch.setattr("answering.models.limits.CircuitBreaker", circuit_breaker)
    reader = limited(chat_reader, attempts=1)
    server.chat = "Ada"
    server.stop()
    await asyncio.gather(*(failure_of(reader) for _ in range(20)))
    server.start()
    assert isinstance(await failure_of(reader), ModelUnavailable)
    now = REST_SECONDS
    assert (await reader.read("Who?", ["Ada."])).answer == "Ada"
    await asyncio.gather(*(reader.read("Who?", ["Ada."]) for _ in range(8)))


@pytest.mark.parametrize("reply", [fails(429), fails(401), nonsense()])
async def test_a_server_that_limits_refuses_or_sends_nonsense_is_not_dead(
    server: FakeOpenAIServer, chat_reader: ChatReader, reply: Reply
) -> None:
    reader = limited(chat_reader, attempts=1)
    server.chat = reply
    for _ in range(2 * FAILURES_TO_OPEN):
        await failure_of(reader)
    server.chat = "Ada"
    assert (await reader.read("Who?", ["Ada."])).answer == "Ada"


async def test_a_cancelled_reading_frees_its_slot() -> None:
    inside = ScriptedReader(delay=30)
    reader = LimitedReader(inside, concurrency=1, timeout=60, attempts=1)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await reader.read("Who?", [])
    assert len(inside.calls) == 3


async def test_other_errors_are_raised_unchanged() -> None:
    def broken(_question: str, _passages: object) -> str:
        raise ZeroDivisionError

    script: Callable[[str, object], str] = broken
    inside = ScriptedReader(script)
    with pytest.raises(ZeroDivisionError):
        await limited(inside).read("Who?", [])
    assert len(inside.calls) == 1


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def circuit(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(failures=3, rest=10, setting="CREDENCE_READER_URL", clock=clock)


def fail(circuit: CircuitBreaker, times: int) -> None:
    for _ in range(times):
        circuit.before_call()
        circuit.record_failure()


def test_a_success_between_failures_keeps_it_closed(circuit: CircuitBreaker) -> None:
    for _ in range(5):
        fail(circuit, 2)
        circuit.before_call()
        circuit.record_success()
    assert not circuit.is_open


def test_failures_in_a_row_open_it_for_a_while(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 9
    with pytest.raises(ModelUnavailable) as raised:
        circuit.before_call()
    assert raised.value.retry_after == pytest.approx(1)


def test_after_the_rest_one_call_probes_the_server(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 10
    circuit.before_call()
    with pytest.raises(ModelUnavailable):
        circuit.before_call()


def test_a_successful_probe_closes_it(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 10
    circuit.before_call()
    circuit.record_success()
    fail(circuit, 2)
    assert not circuit.is_open


def test_a_failed_probe_opens_it_again(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 10
    fail(circuit, 1)
    clock.now += 9
    with pytest.raises(ModelUnavailable):
        circuit.before_call()


def test_after_a_cancelled_probe_the_next_call_probes(circuit: CircuitBreaker, clock: Clock) -> None:
    fail(circuit, 3)
    clock.now += 10
    circuit.before_call()
    circuit.record_cancellation()
    circuit.before_call()
    with pytest.raises(ModelUnavailable):
        circuit.before_call()
