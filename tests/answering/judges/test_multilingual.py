"""The judge of many languages, with its weights."""

from collections.abc import AsyncIterator

import pytest

from answering.judges import CompactJudge, Label, Pair, claim_of
from answering.judges.multilingual import MultilingualJudge

PASSAGE = "Die Mühle von Brin wurde 1877 von Tora Myhre gebaut. Sie steht am Fluss."
QUESTION = "Wer hat die Mühle von Brin gebaut?"


@pytest.fixture
async def judge() -> AsyncIterator[MultilingualJudge]:
    for package in ("onnx", "sentencepiece"):
        pytest.importorskip(package, reason="needs the extra `languages`")
    judge = MultilingualJudge(threads=1)
    yield judge
    await judge.aclose()


async def test_it_tells_support_contradiction_and_neither(judge: MultilingualJudge) -> None:
    pairs = [
        Pair(claim_of(QUESTION, "Tora Myhre"), PASSAGE),
        Pair(claim_of(QUESTION, "Ivar Brask"), PASSAGE),
        Pair(claim_of(QUESTION, "Ivar Brask"), "Das Wetter in Lima ist im Winter mild."),
        Pair("首都は東京です。", "日本の首都は東京であり、人口は千四百万人です。"),
    ]
    judged = await judge.judge_all(pairs)
    expected = [Label.SUPPORTS, Label.CONTRADICTS, Label.IRRELEVANT, Label.SUPPORTS]
    assert [judgement.label for judgement in judged] == expected
    for judgement in judged:
        total = judgement.supports + judgement.contradicts + judgement.reports + judgement.irrelevant
        assert total == pytest.approx(1)


async def test_what_it_rests_on_is_quoted(judge: MultilingualJudge) -> None:
    (judgement,) = await judge.judge_all([Pair(claim_of(QUESTION, "Tora Myhre"), PASSAGE)])
    assert judgement.quote is not None
    assert judgement.quote.text == "Die Mühle von Brin wurde 1877 von Tora Myhre gebaut."


async def test_english_is_judged_by_the_compact_judge(judge: MultilingualJudge) -> None:
    pair = Pair(claim_of("Who built the mill?", "Ivar Brask"), "Tora Myhre built the mill in 1874.")
    (expected,) = await CompactJudge(threads=1).judge_all([pair])
    (judgement,) = await judge.judge_all([pair])
    assert (judgement.label, judgement.contradicts) == (expected.label, expected.contradicts)


async def test_hostile_text_is_judged_like_any_other(judge: MultilingualJudge) -> None:
    pairs = [Pair("東京は首都です。\ud800", passage) for passage in ("", "\ud800", "長い" * 50_000)]
    assert len(await judge.judge_all(pairs)) == len(pairs)
