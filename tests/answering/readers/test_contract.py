"""The contract of readers, tested on every reader and wrapper."""

import re
from collections.abc import AsyncIterator, Callable

import pytest

from answering.compact.model import CompactModel
from answering.errors import ModelUnavailable
from answering.models import OpenAIChat
from answering.readers import ChatReader, CompactReader, LimitedReader, PrefilteredReader, Reader
from answering.readers.compact import WEIGHTS
from answering.readers.wrappers import PREFILTER_THRESHOLD
from tests.fakes.openai_server import FakeOpenAIServer, prompt_of
from tests.fakes.scripted_reader import ScriptedReader
from tests.tables import for_each

QUESTION = "Who opened the covered market of Aldvik?"
PASSAGES = ["The covered market of Aldvik was opened by Ivar Brask on a rainy Monday.", "It sells fish."]
IRRELEVANT = ["Herons nest in the reeds.", "The ferry is late."]


def _scripted(_server: FakeOpenAIServer) -> Reader:
    return ScriptedReader(lambda _question, passages: "Ivar Brask" if passages == PASSAGES else None)


def _openai(server: FakeOpenAIServer) -> Reader:
    server.chat = lambda body: "Ivar Brask" if "Ivar Brask" in prompt_of(body) else "IDK"
    return ChatReader(OpenAIChat(base_url=server.url, model="fake"))


def _limited(server: FakeOpenAIServer) -> Reader:
    return LimitedReader(_openai(server), concurrency=2, timeout=60, attempts=2)


def _compact(_server: FakeOpenAIServer) -> Reader:
    return CompactReader()


def _screened(server: FakeOpenAIServer) -> Reader:
    return PrefilteredReader(_openai(server))


@pytest.fixture(params=[_scripted, _openai, _limited, _compact, _screened])
async def reader(request: pytest.FixtureRequest, server: FakeOpenAIServer) -> AsyncIterator[Reader]:
    make: Callable[[FakeOpenAIServer], Reader] = request.param
    reader = make(server)
    yield reader
    await reader.aclose()


async def test_it_answers_from_the_passages(reader: Reader) -> None:
    reading = await reader.read(QUESTION, PASSAGES)
    assert reading.answer == "Ivar Brask"
    assert "Ivar" in reading.raw
    assert reading.confidence is None or 0 <= reading.confidence <= 1


async def test_it_abstains_where_the_passages_hold_no_answer(reader: Reader) -> None:
    assert (await reader.read(QUESTION, IRRELEVANT)).answer is None


async def test_it_abstains_without_passages(reader: Reader) -> None:
    assert (await reader.read(QUESTION, [])).answer is None


async def test_it_reports_its_usage(reader: Reader) -> None:
    usage = (await reader.read(QUESTION, PASSAGES)).usage
    assert usage.model_calls == (0 if isinstance(reader, CompactReader) else 1)
    assert usage.milliseconds >= 0


async def test_its_identity_is_stable(reader: Reader) -> None:
    before = reader.name, reader.prompt_hash
    await reader.read(QUESTION, PASSAGES)
    assert (reader.name, reader.prompt_hash) == before
    assert re.fullmatch("[0-9a-f]{64}", reader.prompt_hash)


@for_each("hostile", ["\x00\x07\x1b[2J", "\ud800 half a pair", "\u202eright to left", "x" * 100_000, ""])
async def test_it_takes_any_text(reader: Reader, hostile: str) -> None:
    reading = await reader.read(f"{QUESTION} {hostile}", [hostile, *PASSAGES])
    assert reading.answer in {None, "Ivar Brask"}


def always(answer: str) -> ScriptedReader:
    return ScriptedReader(lambda _question, _passages: answer, name="says something")


async def test_passages_without_an_answer_cost_no_call() -> None:
    model = always("Herons")
    reader = PrefilteredReader(model)
    nothing = await reader.read(QUESTION, IRRELEVANT)
    assert (nothing.answer, nothing.usage.model_calls, nothing.usage.input_tokens) == (None, 0, 0)
    assert nothing.usage.milliseconds > 0
    assert not model.calls
    await reader.aclose()
    assert model.closed


async def test_passages_with_a_possible_answer_are_read() -> None:
    reader = PrefilteredReader(always("Mr Brask"))
    reading = await reader.read(QUESTION, PASSAGES)
    assert (reading.answer, reading.usage.model_calls) == ("Mr Brask", 1)
    await reader.aclose()


def test_the_filter_has_a_lower_threshold_than_the_compact_reader() -> None:
    assert CompactModel.open(WEIGHTS).settings["threshold"] > PREFILTER_THRESHOLD


async def test_errors_of_the_model_are_raised() -> None:
    reader = PrefilteredReader(ScriptedReader(lambda _question, _passages: ModelUnavailable("gone")))
    with pytest.raises(ModelUnavailable):
        await reader.read(QUESTION, PASSAGES)
    assert (await reader.read(QUESTION, IRRELEVANT)).answer is None
    await reader.aclose()


async def test_name_and_prompt_hash_differ_from_the_unfiltered_reader() -> None:
    model = always("Mr Brask")
    reader = PrefilteredReader(model)
    assert model.name in reader.name != model.name
    assert reader.prompt_hash != model.prompt_hash
    await reader.aclose()
