"""Questions drawn for a stage of the reader's training, each with passages that answer it and that do not."""

from dataclasses import replace

import pytest

from benchmarks.data.squad import Example, find_answer
from tests.tables import for_each

pytest.importorskip("sklearn", reason="needs scikit-learn, of the group `bench`")

from benchmarks.training.reader.data import NEAREST, STAGES, Drawing, Stage

TOWNS = [f"{first}{last}" for first in ("Ald", "Or", "Ast", "Mor", "Tar", "Sel") for last in ("vik", "holm", "by")]
STAGE = replace(
    STAGES[-1], words=(200, 200), swapped=0, cut=0, near=0, another=0, results=0, plain=0, misspelt=0, shares={}
)


def _asked(town: str, year: int) -> Example:
    passage = (
        f"The market hall of {town} is made of stone, as so many are in this part of the country. It was opened in "
        f"{year} on a rainy day. Fish from {town} and blue glass are sold there on most days of the week."
    )
    return Example(f"When was the market hall of {town} opened?", passage, find_answer(passage, str(year)), "halls")


HALLS = [_asked(town, 1900 + at) for at, town in enumerate(TOWNS)]
# Words in more than one passage of twenty say nothing of which is near.
OTHERS = [Example(f"What is {at}?", " ".join(f"word{at}{n}" for n in range(30)), None, "words") for at in range(400)]


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    return Drawing([*HALLS, *OTHERS], seed=3)


def _drawn(drawing: Drawing, stage: Stage) -> list[list[Example]]:
    return [examples for examples in drawing.questions(stage) if examples[0].topic == "halls"]


def test_the_passages_of_a_question_stay_together(drawing: Drawing) -> None:
    drawn = _drawn(drawing, replace(STAGE, near=2.5, cut=1, shares={"halls": 2.0}))
    assert len(drawn) == 2 * len(HALLS)
    for examples in drawn:
        assert len({example.question for example in examples}) == 1
        answering, *others = examples
        assert answering.span is not None
        assert all(
            example.span is None and find_answer(example.passage, answering.answer) is None for example in others
        )
    assert {len(examples) for examples in drawn} == {4, 5}  # itself, without its answer, and two or three others


def test_passages_that_share_words_are_of_the_same_kind_and_not_more_than_are_known(drawing: Drawing) -> None:
    for answering, *others in _drawn(drawing, replace(STAGE, near=2.0 * NEAREST)):
        assert 1 < len(others) <= NEAREST
        assert answering.passage not in {example.passage for example in others}
        assert any("market hall" in example.passage for example in others)


def test_a_passage_that_answers_the_question_otherwise_is_never_one_without_an_answer() -> None:
    asked = HALLS[0]
    passage = asked.passage.replace(asked.answer, "1803").replace("blue glass", "amber")
    otherwise = Example(asked.question.lower(), passage, find_answer(passage, "1803"), "halls")
    drawn = Drawing([otherwise, *HALLS, *OTHERS], seed=3).questions(replace(STAGE, near=2.0 * NEAREST))
    of_question = [examples for examples in drawn if examples[0].question.lower() == asked.question.lower()]
    assert len(of_question) == 2
    assert all(len(examples) > 1 and all(not example.span for example in examples[1:]) for examples in of_question)
    assert not {asked.passage, passage} & {example.passage for examples in of_question for example in examples[1:]}


@for_each("stage", STAGES)
def test_the_same_seed_draws_the_same(drawing: Drawing, stage: Stage) -> None:
    assert drawing.questions(stage) == Drawing([*HALLS, *OTHERS], seed=3).questions(stage)
