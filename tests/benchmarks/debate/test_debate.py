"""Scores, strategies and tables of the debate benchmark, and that an interrupted run continues."""

import json
from dataclasses import replace
from pathlib import Path

from answering.debates import SourceDocument
from answering.errors import ModelError, ModelUnavailable
from answering.judges import ScriptedJudge
from answering.models import Sampling, ScriptedChat
from answering.models.scripted import ChatCall
from answering.readers import ScriptedReader
from benchmarks.data.ramdocs import Question, load_questions
from benchmarks.data.splits import Part, part_of
from benchmarks.debate.__main__ import ALL_NAMES, DebateOptions, ask_all
from benchmarks.debate.scores import Score, matches, score
from benchmarks.debate.strategies import Outcome, StrategyRunner
from benchmarks.debate.tables import tabulate
from benchmarks.harness import Options, Report
from benchmarks.harness.cache import CachedChat, JsonLines
from tests.tables import for_each

GOLD, WRONG = ("Football", "Rugby league"), ("Cricket",)
BOTH = 'Answer: football\nAnswers: ["football", "rugby league"]'


@for_each(
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


@for_each(
    ("answer", "gold", "fits"),
    [("3,559", "3,559 people", True), ("3559", "3,559", True), ("355", "3,559", False), ("1994", "1995", False)],
)
def test_answers_match_by_class_or_contained_words(answer: str, gold: str, fits: bool) -> None:
    assert matches(answer, gold) is fits


async def test_a_completion_is_requested_once_and_an_incomplete_line_is_dropped(tmp_path: Path) -> None:
    path, model = tmp_path / "kept" / "completions.jsonl", ScriptedChat("yes")
    chat = CachedChat(model, JsonLines(path))
    first = await chat.complete("s", "m")
    assert await chat.complete("s", "m") == first
    await chat.complete("s", "m", sampling=Sampling(0.7))
    assert len(model.calls) == 2
    with path.open("a") as file:
        file.write('{"key": "torn')
    again = CachedChat(ScriptedChat("no"), JsonLines(path))
    assert await again.complete("s", "m") == first
    assert (await again.complete("s", "other")).text == "no"
    assert [json.loads(line)["text"] for line in path.read_text().splitlines()] == ["yes", "yes", "no"]


QUESTION = Question(
    id="q",
    text="What sport does he play?",
    documents=(
        SourceDocument("1", "He plays football.", "source 0", 0.9),
        SourceDocument("2", "He plays rugby league.", "source 1", 0.9),
        SourceDocument("3", "He plays cricket.", "source 8", 0.1),
    ),
    kinds=("correct", "correct", "misinfo"),
    gold=GOLD,
    wrong=WRONG,
)


def runner() -> StrategyRunner:
    reader = ScriptedReader(lambda _question, passages: passages[0].removeprefix("He plays ").rstrip("."))
    chat = ScriptedChat('Answers: ["football", "rugby league", "cricket"]\nFinal: cricket')
    return StrategyRunner(reader, ScriptedJudge(), chat)


@for_each("name", ALL_NAMES)
async def test_every_strategy_comes_to_an_end(name: str) -> None:
    done = await runner().outcome(name, QUESTION, 5)
    assert done.complete
    assert all(answer in {"football", "rugby league", "cricket"} for answer in done.answers)


async def test_without_time_the_outcome_is_incomplete() -> None:
    assert not (await runner().outcome("concatenated", QUESTION, 0.0)).complete


async def test_a_request_that_is_not_cached_makes_the_outcome_incomplete(tmp_path: Path) -> None:
    chat = CachedChat(ScriptedChat("never"), JsonLines(tmp_path / "completions.jsonl"), read_only=True)
    assert not (await replace(runner(), chat=chat).outcome("concatenated", QUESTION, 5)).complete
    assert (await replace(runner(), chat=None).outcome("every reading", QUESTION, 5)).complete


def chosen(work: Path, *, report: bool = False, minutes: float = 1.0, at_once: int = 1) -> DebateOptions:
    names = ("no RAG", "madam T=1", "madam T=3", "auto", "madam T=1@selected")
    return DebateOptions(None, work, 3, names, minutes, at_once, report, choosing=False)


def questions() -> list[Question]:
    return [replace(QUESTION, id=str(number), text=f"What sport does he play, {number}?") for number in range(3)]


async def asked(model: ScriptedChat, choices: DebateOptions) -> tuple[int, float]:
    lines = JsonLines(choices.work / "completions.jsonl")
    done, seconds = await ask_all(runner(), model, lines, questions(), choices)
    return len(done), seconds


async def test_strategies_share_completions_and_a_second_run_calls_no_model(tmp_path: Path) -> None:
    model = ScriptedChat('Answer: football\nAnswers: ["football"]')
    assert (await asked(model, chosen(tmp_path)))[0] == 3
    requests = [(call.system, call.message) for call in model.calls]
    assert len(requests) == len(set(requests))
    again = ScriptedChat("not to be asked")
    assert (await asked(again, chosen(tmp_path)))[0] == (await asked(again, chosen(tmp_path, report=True)))[0] == 3
    assert not again.calls


async def test_a_question_counts_once_all_strategies_have_finished_it(tmp_path: Path) -> None:
    def dies(asked: ChatCall) -> str | ModelError:
        return ModelUnavailable("gone") if "play, 1?" in asked.message and "summary" in asked.message else BOTH

    assert (await asked(ScriptedChat(dies), chosen(tmp_path)))[0] == 2
    assert (await asked(ScriptedChat("not to be asked"), chosen(tmp_path, report=True)))[0] == 2
    assert (await asked(ScriptedChat("too late"), chosen(tmp_path, minutes=0)))[0] == 0
    assert (await asked(ScriptedChat(BOTH), chosen(tmp_path)))[0] == 3


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
