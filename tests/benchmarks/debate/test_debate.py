"""Scores, tables and the questions of the debate benchmark."""

import json
from dataclasses import replace
from pathlib import Path

from answering.debates.protocol import SourceDocument
from benchmarks.data.ramdocs import Question, load_questions
from benchmarks.data.splits import Part, part_of
from benchmarks.debate.scores import Score, matches, score
from benchmarks.debate.strategies import Outcome
from benchmarks.debate.tables import tabulate
from benchmarks.harness import Options, Report
from tests.tables import for_each

GOLD, WRONG = ("Football", "Rugby league"), ("Cricket",)


@for_each(
    ("answers", "expected"),
    [
        (["football", "rugby league"], Score(1.0, 1.0, 1.0, 1.0, 1.0)),
        (["American football", "Rugby league"], Score(1.0, 1.0, 1.0, 1.0, 1.0)),
        (["football", "rugby league", "cricket"], Score(0.0, 0.0, 2 / 3, 1.0, 0.8)),
        (["football", "rugby league", "chess"], Score(1.0, 1.0, 2 / 3, 1.0, 0.8)),
        (["football", "rugby"], Score(1.0, 0.0, 1.0, 1.0, 1.0)),
        (["football"], Score(0.0, 0.0, 1.0, 0.5, 2 / 3)),
        (["cricket"], Score(0.0, 0.0, 0.0, 0.0, 0.0)),
        ([], Score(0.0, 0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_scores(answers: list[str], expected: Score) -> None:
    assert score(answers, GOLD, WRONG) == expected


@for_each(
    ("answer", "gold", "fits"),
    [("3,559", "3,559 people", True), ("3559", "3,559", True), ("355", "3,559", False), ("1994", "1995", False)],
)
def test_answers_match_by_class_or_contained_words(answer: str, gold: str, fits: bool) -> None:
    assert matches(answer, gold) is fits


QUESTION = Question(
    id="q",
    text="What sport does he play?",
    documents=(
        SourceDocument("1", "He plays football.", "source 0", 0.9),
        SourceDocument("2", "He plays rugby league.", "source 1", 0.9),
        SourceDocument("3", "He plays cricket.", "source 8", 0.1),
    ),
    kinds=("correct", "correct", "misinfo"),
    stated=("football", "rugby league", "cricket"),
    gold=GOLD,
    wrong=WRONG,
)


def questions() -> list[Question]:
    return [replace(QUESTION, id=str(number), text=f"What sport does he play, {number}?") for number in range(3)]


def test_tables_compare_the_same_questions() -> None:
    report = Report(Options())
    names = ("vote", "concatenated", "auto", "concatenated@selected")
    done = {
        question.id: {name: Outcome(("football",) if name == "vote" else GOLD) for name in names}
        for question in questions()
    }
    tabulate(report, done, questions(), "scripted", 2.0)
    assert report.figures["strict, auto"] == 1.0
    assert report.figures["strict, vote"] == 0.0
    differences = next(table for table in report.tables if table.title.startswith("Differences"))
    assert [row[0] for row in differences.rows] == ["vote", "auto"]
    assert differences.rows[0][3] == "-1.000 [-1.000, -1.000]"


def test_questions_are_of_the_reported_part_and_dealt_by_their_text(tmp_path: Path) -> None:
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
    assert sum(share == 0.9 for share in dealt[::2]) > sum(share == 0.9 for share in dealt[1::2])
