"""The scripted judge."""

import pytest

from answering.errors import ModelUnavailable
from answering.judges import Judge, Label, Pair, ScriptedJudge


async def test_it_judges_by_its_script_and_records_the_pairs() -> None:
    judge: Judge = ScriptedJudge({("c", "p"): Label.SUPPORTS})
    pairs = [Pair("c", "p"), Pair("c", "other")]
    first, second = await judge.judge_all(pairs)
    assert (first.label, first.supports, second.label) == (Label.SUPPORTS, 1.0, Label.IRRELEVANT)
    assert isinstance(judge, ScriptedJudge)
    assert judge.calls == [tuple(pairs)]


async def test_a_function_may_judge_or_fail() -> None:
    failure = ModelUnavailable("down")
    judge = ScriptedJudge(lambda pair: Label.CONTRADICTS if pair.passage else failure)
    (judged,) = await judge.judge_all([Pair("c", "p")])
    assert judged.contradicts == 1.0
    with pytest.raises(ModelUnavailable):
        await judge.judge_all([Pair("c", "")])
    await judge.aclose()
    assert judge.closed
