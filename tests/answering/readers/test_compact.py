"""The compact reader with its released weights."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from textwrap import fill

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answering.enums import AbstentionReason
from answering.errors import ModelDamaged, ModelUnavailable
from answering.readers import CompactReader
from answering.readers.compact import WEIGHTS
from tests.tables import for_each

BRIDGE = (
    "The bridge over the Marn was opened on 4 May 1931 by the engineer Ida Kolb. It is 212 metres long and carries "
    "two tracks of the coast railway."
)
FILLER = "The market has many stalls, and people come from the villages around to sell cheese, wool and apples. "


@pytest.fixture(scope="module")
async def reader() -> AsyncIterator[CompactReader]:
    reader = CompactReader(threads=2)
    yield reader
    await reader.aclose()


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Who opened the bridge over the Marn?", "Ida Kolb"),
        ("When was the bridge over the Marn opened?", "4 May 1931"),
        ("What is the length of the bridge over the Marn?", "212 metres"),
    ],
)
async def test_it_copies_the_answer_and_locates_it(reader: CompactReader, question: str, wanted: str) -> None:
    reading = await reader.read(question, [FILLER, BRIDGE])
    assert reading.answer is not None
    assert wanted in reading.answer
    assert reading.location is not None
    assert reading.location.passage == 1
    assert BRIDGE[reading.location.start : reading.location.end] == reading.answer
    assert reading.confidence is not None
    assert 0 < reading.confidence <= 1
    assert (reading.usage.model_calls, reading.usage.tokens) == (0, 0)
    assert reading.usage.milliseconds > 0


@pytest.mark.parametrize(
    ("question", "confidence"),
    [
        ("Who opened the bridge over the Marn?", 0.894),
        ("Who built the bridge over the Marn?", 0.686),
        ("What do people sell at the market?", 0.399),
    ],
)
async def test_confidences_are_the_same_on_every_processor(
    reader: CompactReader, question: str, confidence: float
) -> None:
    """Those without VNNI saturate sums in 16 bits unless told not to: 0.832, 0.693 and 0.359 on AVX2 alone."""
    reading = await reader.read(question, [FILLER * 4 + BRIDGE + FILLER * 3])
    assert reading.confidence == pytest.approx(confidence, abs=0.004)


async def test_the_reading_of_a_passage_does_not_depend_on_the_others(reader: CompactReader) -> None:
    question, caching = "Who opened the bridge over the Marn?", CompactReader(threads=1, cache_size=8)
    alone = await reader.read(question, [BRIDGE])
    for shown in ([BRIDGE], [FILLER * 9, BRIDGE], [BRIDGE, BRIDGE, FILLER]):
        for tested in (reader, caching):
            reading = await tested.read(question, shown)
            assert (reading.answer, reading.confidence) == (alone.answer, alone.confidence)
    await caching.aclose()


async def test_of_several_answers_the_largest_sum_of_confidences_wins(reader: CompactReader) -> None:
    question, surest = "Who opened the bridge over the Marn?", "Ida Kolb opened the bridge over the Marn."
    others = [
        "Some say that Otto Brandt opened it, in Marn.",
        "In Marn some say that Otto Brandt opened it.",
    ]
    alone = [await reader.read(question, [passage]) for passage in (surest, *others)]
    assert max(alone, key=lambda reading: reading.confidence or 0.0).answer == "Ida Kolb"
    together = await reader.read(question, [others[0], surest, others[1]])
    assert together.answer == "Otto Brandt"
    assert together.location is not None
    assert together.location.passage in {0, 2}


async def test_it_abstains_where_no_passage_answers(reader: CompactReader) -> None:
    reading = await reader.read("Which engineer sells apples on the bridge?", [FILLER, BRIDGE])
    assert (reading.answer, reading.raw, reading.location) == (None, "IDK", None)
    assert reading.reason is AbstentionReason.NO_ANSWER


@pytest.mark.parametrize(
    ("question", "passage", "reason"),
    [
        ("Who opened the bridge over the Marn in 1950?", BRIDGE, AbstentionReason.OTHER_SUBJECT),
        ("Why was the bridge closed?", FILLER, AbstentionReason.OTHER_SUBJECT),
        ("Why was the bridge closed?", BRIDGE, AbstentionReason.NO_EXPLANATION),
        ("Is the bridge over the Marn blue?", BRIDGE, AbstentionReason.UNDECIDED),
        ("Is the railway bridge blue?", BRIDGE, AbstentionReason.NOT_JUDGED),
        ("Should I cross the bridge over the Marn?", BRIDGE, AbstentionReason.NOT_JUDGED),
        ("Is the Marn a long and cold river in Norway?", BRIDGE, AbstentionReason.UNDECIDED),
        ("Is the cheese of Oslo blue?", BRIDGE, AbstentionReason.OTHER_SUBJECT),
    ],
)
async def test_it_says_why_it_abstains(
    reader: CompactReader, question: str, passage: str, reason: AbstentionReason
) -> None:
    reading = await reader.read(question, [passage])
    assert (reading.answer, reading.reason) == (None, reason)


async def test_what_is_not_of_the_kind_asked_for_is_no_answer() -> None:
    reader = CompactReader(threads=1, threshold=0.0)
    reading = await reader.read("How many people opened the bridge?", ["Ida Kolb opened the bridge."])
    assert (reading.answer, reading.reason) == (None, AbstentionReason.OTHER_KIND)
    await reader.aclose()


@for_each(
    ("question", "answer"),
    [
        ("Was the bridge opened in 1931?", "Yes"),
        ("Was the bridge opened in 1956?", "No"),
        ("In 1931, was the bridge opened?", "Yes"),
        ("Can you tell me who opened the bridge over the Marn?", "Ida Kolb"),
        ("How much longer is the bridge?", "212 metres"),
        ("Who opend the brigde over the Marn?", "Ida Kolb"),
    ],
)
async def test_it_gives_the_answer_that_was_asked_for(reader: CompactReader, question: str, answer: str) -> None:
    reading = await reader.read(question, [BRIDGE])
    assert reading.answer == answer
    assert reading.location is not None


async def test_a_reason_of_a_word_or_two_is_given_with_its_sentence(reader: CompactReader) -> None:
    passage = "The hall stands empty. It was closed for repairs. Nobody came."
    reading = await reader.read("Why was the hall closed?", [passage])
    assert reading.answer == "It was closed for repairs."


@for_each(
    ("question", "wrapped", "answer"),
    [
        ("Who opened the bridge over the Marn?", fill(f"{BRIDGE} {FILLER}", 72), "Ida\nKolb"),
        ("Which railway does the bridge carry?", f"{BRIDGE}\nCoast News", "coast railway"),
    ],
)
async def test_an_answer_runs_over_a_wrapped_line_and_not_over_the_end_of_one(
    reader: CompactReader, question: str, wrapped: str, answer: str
) -> None:
    reading = await reader.read(question, [wrapped])
    assert reading.answer == answer


async def test_a_number_ends_with_its_line() -> None:
    reader = CompactReader(threads=1, threshold=0.0)
    passage = "The ferry cost the town $12\nMillion Dollar Baby opens in Lind."
    assert (await reader.read("How much did the ferry cost?", [passage])).answer == "$12"
    await reader.aclose()


async def test_it_reads_false_statements_too(reader: CompactReader) -> None:
    reading = await reader.read("What is the capital of France?", ["The capital of France is Lyon, says the pamphlet."])
    assert reading.answer == "Lyon"


async def test_an_answer_at_the_end_of_a_long_passage_is_found(reader: CompactReader) -> None:
    reading = await reader.read("Who opened the bridge over the Marn?", [FILLER * 60 + BRIDGE])
    assert reading.answer is not None
    assert "Ida Kolb" in reading.answer


@for_each("passages", [[], [""], [" \n"], ["...."]])
async def test_it_abstains_without_text(reader: CompactReader, passages: list[str]) -> None:
    assert (await reader.read("Who opened the bridge?", passages)).answer is None


@settings(max_examples=40, deadline=None)
@given(question=st.text(max_size=200), passages=st.lists(st.text(max_size=600), max_size=3))
async def test_any_answer_is_verbatim(reader: CompactReader, question: str, passages: list[str]) -> None:
    reading = await reader.read(question, passages)
    if reading.answer is not None:
        assert reading.location is not None
        passage = passages[reading.location.passage]
        assert passage[reading.location.start : reading.location.end] == reading.answer


async def test_of_huge_texts_the_beginning_is_read(reader: CompactReader) -> None:
    question = "Who opened the bridge over the Marn?" + " why" * 100_000
    reading = await reader.read(question, [BRIDGE * 20_000, "a" * 3_000_000])
    assert reading.answer is not None
    assert "Ida Kolb" in reading.answer


async def test_concurrent_readings_equal_sequential_ones(reader: CompactReader) -> None:
    calls = [(f"How long is bridge {number}?", [f"Bridge {number} is {number} metres long."]) for number in range(20)]
    at_once = await asyncio.gather(*(reader.read(*call) for call in calls))
    one_by_one = [await reader.read(*call) for call in calls]
    assert [reading.answer for reading in at_once] == [reading.answer for reading in one_by_one]


async def test_damaged_weights_are_not_used(tmp_path: Path) -> None:
    copy = tmp_path / "reader"
    shutil.copytree(WEIGHTS, copy)
    (copy / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelDamaged, match="not the file that was trained"):
        await CompactReader(copy).read("Who?", [BRIDGE])
    (copy / "manifest.json").write_text("{}")
    with pytest.raises(ModelDamaged, match="manifest"):
        CompactReader(copy)


async def test_a_closed_reader_is_unavailable() -> None:
    reader = CompactReader(threads=1)
    await reader.aclose()
    with pytest.raises(ModelUnavailable, match="closed"):
        await reader.read("Who?", [BRIDGE])
