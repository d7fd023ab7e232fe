"""The compact reader as a filter before another one."""

import pytest

from answering.compact.model import CompactModel
from answering.errors import ModelUnavailable
from answering.readers import PrefilteredReader, ScriptedReader
from answering.readers.compact import WEIGHTS
from answering.readers.wrappers import PREFILTER_THRESHOLD

QUESTION = "Who opened the covered market of Aldvik?"
PASSAGES = ["The covered market of Aldvik was opened by Ivar Brask on a rainy Monday.", "It sells fish."]
IRRELEVANT = ["Herons nest in the reeds.", "The ferry is late."]


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
