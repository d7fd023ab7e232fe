"""The benchmark of debates: its scores, and that it goes on where it was."""

import json
from pathlib import Path

import pytest

from answering.chats import Sampling, ScriptedChat
from answering.debates import Document
from answering.judges import ScriptedJudge
from answering.readers import ScriptedReader
from benchmarks.debate.__main__ import ALL_NAMES
from benchmarks.debate.questions import Question, load_questions
from benchmarks.debate.scores import Score, same, score, spread
from benchmarks.debate.store import KeptChat, Lines
from benchmarks.debate.strategies import SELECTED, Bench
from benchmarks.training.splits import Part, part_of

GOLD, WRONG = ("Football", "Rugby league"), ("Cricket",)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["football", "rugby league"], Score(1.0, 1.0, 1.0, 1.0)),
        (["American football", "Rugby league"], Score(1.0, 1.0, 1.0, 1.0)),
        (["football", "rugby league", "cricket"], Score(0.0, 2 / 3, 1.0, 0.8)),
        (["football", "rugby league", "chess"], Score(1.0, 2 / 3, 1.0, 0.8)),
        (["football"], Score(0.0, 1.0, 0.5, 2 / 3)),
        (["cricket"], Score(0.0, 0.0, 0.0, 0.0)),
        ([], Score(0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_scores(answers: list[str], expected: Score) -> None:
    assert score(answers, GOLD, WRONG) == expected


@pytest.mark.parametrize(
    ("said", "wanted", "fits"),
    [("3,559", "3,559 people", True), ("3559", "3,559", True), ("355", "3,559", False), ("1994", "1995", False)],
)
def test_what_counts_as_the_same(said: str, wanted: str, fits: bool) -> None:
    assert same(said, wanted) is fits


def test_an_interval_holds_its_mean() -> None:
    found = spread([0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    assert found.low < found.mean == 0.625 < found.high
    assert spread([1.0] * 5).signed == "+1.000 [+1.000, +1.000]"


async def test_a_completion_is_had_once_and_a_torn_line_is_forgotten(tmp_path: Path) -> None:
    path, model = tmp_path / "kept" / "completions.jsonl", ScriptedChat("yes")
    chat = KeptChat(model, Lines(path))
    first = await chat.complete("s", "m")
    assert await chat.complete("s", "m") == first
    await chat.complete("s", "m", sampling=Sampling(0.7))
    assert len(model.calls) == 2
    with path.open("a") as file:
        file.write('{"key": "torn')
    again = KeptChat(ScriptedChat("no"), Lines(path))
    assert await again.complete("s", "m") == first
    assert (await again.complete("s", "other")).text == "no"
    assert [json.loads(line)["text"] for line in path.read_text().splitlines()] == ["yes", "yes", "no"]


QUESTION = Question(
    id="q",
    text="What sport does he play?",
    documents=(
        Document("1", "He plays football.", "source 0", 0.9),
        Document("2", "He plays rugby league.", "source 1", 0.9),
        Document("3", "He plays cricket.", "source 8", 0.1),
    ),
    kinds=("correct", "correct", "misinfo"),
    gold=GOLD,
    wrong=WRONG,
)


def bench() -> Bench:
    reader = ScriptedReader(lambda _question, passages: passages[0].removeprefix("He plays ").rstrip("."))
    chat = ScriptedChat('Answers: ["football", "rugby league", "cricket"]\nFinal: cricket')
    return Bench(reader, ScriptedJudge(), chat)


@pytest.mark.parametrize("name", ALL_NAMES)
async def test_every_strategy_comes_to_an_end(name: str) -> None:
    done = await bench().outcome(name, QUESTION, 5)
    assert done.whole
    assert all(answer in {"football", "rugby league", "cricket"} for answer in done.answers)


async def test_selection_leaves_out_what_comes_from_spammers() -> None:
    done = await bench().outcome(f"concatenated{SELECTED}", QUESTION, 5)
    assert set(done.answers) == {"football", "rugby league"}


async def test_no_time_is_no_whole_result() -> None:
    assert not (await bench().outcome("concatenated", QUESTION, 0.0)).whole


def test_questions_are_drawn_among_the_unseen_and_dealt_by_their_text(tmp_path: Path) -> None:
    rows = [
        {
            "question": f"Question {number}?",
            "documents": [{"text": f"text {number}", "type": kind, "answer": "a"} for kind in ("correct", "misinfo")],
            "gold_answers": ["a"],
            "wrong_answers": ["b"],
        }
        for number in range(60)
    ]
    path = tmp_path / "ramdocs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    drawn = load_questions(path, 10)
    assert drawn == load_questions(path, 10)
    assert all(part_of(question.text) is Part.REPORT for question in drawn)
    dealt = [document.reliability for question in load_questions(path, 60) for document in question.documents]
    assert sum(one == 0.9 for one in dealt[::2]) > sum(one == 0.9 for one in dealt[1::2])
