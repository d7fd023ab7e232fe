"""The compact judge with its released weights."""

import asyncio
import shutil
from pathlib import Path

import pytest

from answering.compact.model import MODEL
from answering.errors import ModelDamaged, ModelUnavailable
from answering.judges import Judgement, Label, Pair, claim_of
from answering.judges.compact import WEIGHTS, CompactJudge
from answering.judges.judge import Judge
from tests.tables import for_each

HALL = (
    "The market hall of Orvik lies on the east bank of the Mora. It was opened by Lena Dahl in 1911 and is known "
    "for its blue glass. Fish is sold there on most days of the week."
)
HERONS = "Herons nest in the reeds along the lower river. They leave in October and come back in spring."
ASKED = "Did Tora Myhre build the mill of Lyng?"
WHO, WHEN = "Who opened the market hall of Orvik?", "When was the market hall of Orvik opened?"
FILLER = " ".join(
    f"On day {n} the keeper of the lighthouse wrote that the sea was calm and the wind light." for n in range(40)
)


@pytest.fixture(scope="module")
def judge() -> CompactJudge:
    return CompactJudge()


def _close(first: Judgement, second: Judgement) -> bool:
    return first.label is second.label and first.supports == pytest.approx(second.supports, abs=0.1)


@for_each(
    ("claim", "passage", "label"),
    [
        (claim_of(WHO, "Lena Dahl"), HALL, Label.SUPPORTS),
        (claim_of(WHO, "Ivar Brask"), HALL, Label.CONTRADICTS),
        (claim_of(WHO, "Lena Dahl"), HERONS, Label.IRRELEVANT),
        (claim_of(WHEN, "1911"), HALL, Label.SUPPORTS),
        (claim_of(WHEN, "1932"), HALL, Label.CONTRADICTS),
        ("Lena Dahl opened the market hall of Orvik.", HALL, Label.SUPPORTS),
        (claim_of("What is the population of Orvik?", "3,559"), HERONS, Label.IRRELEVANT),
    ],
)
async def test_plain_cases(judge: CompactJudge, claim: str, passage: str, label: Label) -> None:
    (judged,) = await judge.judge_all([Pair(claim, passage)])
    assert judged.label is label, judged
    assert sum(judged.probabilities.values()) == pytest.approx(1)


@pytest.mark.parametrize(("answer", "label"), [("1911", Label.SUPPORTS), ("1932", Label.CONTRADICTS)])
async def test_the_quote_is_found_anywhere_in_a_long_passage(judge: CompactJudge, answer: str, label: Label) -> None:
    passage = f"{FILLER} {HALL}"
    (judged,) = await judge.judge_all([Pair(claim_of(WHEN, answer), passage)])
    assert judged.label is label, judged
    assert judged.quote is not None
    assert passage[judged.quote.start : judged.quote.end] == judged.quote.text
    assert "1911" in judged.quote.text


@pytest.mark.parametrize("behind", ["", " Nobody knows.", " Some 400 people live in Lyng."])
async def test_what_a_passage_asks_it_does_not_state(judge: CompactJudge, behind: str) -> None:
    (judgement,) = await judge.judge_all([Pair("Tora Myhre built the mill of Lyng.", ASKED + behind)])
    assert judgement.label is Label.IRRELEVANT
    assert judgement.quote is None


async def test_what_it_states_behind_a_question_counts(judge: CompactJudge) -> None:
    passage = f"{ASKED} She built the mill of Lyng in 1874, Tora Myhre said."
    (judgement,) = await judge.judge_all([Pair("Tora Myhre built the mill of Lyng.", passage)])
    assert judgement.label is Label.SUPPORTS
    assert judgement.quote is not None
    assert judgement.quote.text.startswith("She built")


async def test_a_judgement_does_not_depend_on_the_other_pairs(judge: CompactJudge) -> None:
    pairs = [Pair(claim_of(WHEN, str(1890 + n)), HALL if n % 2 else HERONS) for n in range(12)]
    pairs.append(Pair(claim_of(WHEN, "1911"), f"{FILLER} {HALL}"))
    together = await judge.judge_all(pairs)
    for index in (0, 7, 12):
        (alone,) = await judge.judge_all([pairs[index]])
        assert _close(together[index], alone)


async def test_concurrent_judgements_equal_sequential_ones(judge: CompactJudge) -> None:
    pairs = [Pair(claim_of(WHEN, "1911"), HALL), Pair(claim_of(WHO, "Ivar Brask"), HALL)]
    first, second, third = await asyncio.gather(
        judge.judge_all(pairs), judge.judge_all(pairs[::-1]), judge.judge_all(pairs)
    )
    assert (
        [judgement.label for judgement in first]
        == [judgement.label for judgement in third]
        == [judgement.label for judgement in second[::-1]]
    )


async def test_judging_does_not_block_the_event_loop(judge: CompactJudge) -> None:
    judging = asyncio.create_task(judge.judge_all([Pair(claim_of(WHEN, str(n)), HALL) for n in range(60)]))
    turns = 0
    while not judging.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert len(judging.result()) == 60
    assert turns > 10


@for_each(
    "text", ["", " \n", "\x00", "half \ud800 a pair", "無関係な文章。" * 200, "a" * 8_000, "<|im_end|> [SEP] [CLS]"]
)
async def test_any_text_can_be_judged(judge: CompactJudge, text: str) -> None:
    for pair in (Pair(text, HALL), Pair(claim_of(WHO, "Lena Dahl"), text), Pair(text, text)):
        (judged,) = await judge.judge_all([pair])
        assert sum(judged.probabilities.values()) == pytest.approx(1)


async def test_an_empty_passage_is_irrelevant(judge: CompactJudge) -> None:
    (judged,) = await judge.judge_all([Pair(claim_of(WHO, "Lena Dahl"), "")])
    assert (judged.label, judged.quote) == (Label.IRRELEVANT, None)


async def test_no_pairs_make_no_judgements(judge: CompactJudge) -> None:
    assert await judge.judge_all([]) == []


async def test_the_name_is_stable() -> None:
    first: Judge = CompactJudge()
    second: Judge = CompactJudge(threads=2)
    assert first.name == second.name
    assert first.name.startswith("compact:")
    await first.aclose()
    await second.aclose()


async def test_other_weights_than_those_released_are_refused(tmp_path: Path) -> None:
    shutil.copytree(WEIGHTS, tmp_path / "weights")
    with (tmp_path / "weights" / MODEL).open("ab") as file:
        file.write(b" ")
    judge = CompactJudge(tmp_path / "weights")
    with pytest.raises(ModelDamaged, match=MODEL):
        await judge.judge_all([Pair("claim", "passage")])
    await judge.aclose()


async def test_a_closed_judge_is_unavailable() -> None:
    judge = CompactJudge()
    await judge.aclose()
    with pytest.raises(ModelUnavailable):
        await judge.judge_all([Pair("claim", "passage")])
