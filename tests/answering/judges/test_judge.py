"""Claims of questions and answers."""

import pytest

from answering.errors import ModelUnavailable
from answering.judges import Judge, Label, Pair, claim_of
from answering.judges.compact import answer_occurs
from tests.fakes.scripted_judge import ScriptedJudge
from tests.tables import for_each


@for_each(
    ("question", "answer", "claim"),
    [
        ("Who opened the hall?", "Lena Dahl", "Who opened the hall? Lena Dahl."),
        (" Who opened\nthe hall ", " Lena  Dahl. ", "Who opened the hall? Lena Dahl."),
        ("who opened the hall ??", "Mayor L.", "who opened the hall? Mayor L."),
    ],
)
def test_punctuation_and_white_space_do_not_change_the_claim(question: str, answer: str, claim: str) -> None:
    assert claim_of(question, answer) == claim


@for_each(
    ("answer", "passage", "stands"),
    [
        ("Lena Dahl", "Opened by lena  Dahl, in 1911.", True),
        ("The 1911", "Opened in 1911.", True),
        ("191", "Opened in 1911.", False),
        ("Lena Dahl", "Opened by Lena and Ivar Dahl.", False),
        ("Lena Dahl", "", False),
    ],
)
def test_an_answer_occurs_only_as_whole_words(answer: str, passage: str, *, stands: bool) -> None:
    assert answer_occurs(claim_of("Who opened the hall?", answer), passage) is stands


@for_each("claim", ["", "Lena Dahl opened the hall.", "Who opened the hall?", "Who? ."])
def test_a_plain_sentence_has_no_answer(claim: str) -> None:
    assert answer_occurs(claim, "Lena Dahl opened the hall.") is None


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
