"""Questions are asked of a language model within a time, and their cost is said before."""

import argparse
from pathlib import Path

import pytest

from answering.judges.compact import CompactJudge
from benchmarks.debate import asking
from benchmarks.debate.asking import add_asking_options, ask_all
from benchmarks.debate.short import is_right, short_question
from benchmarks.debate.strategies import StrategyRunner
from benchmarks.harness import Options, Report
from tests.fakes.scripted_chat import ScriptedChat
from tests.fakes.scripted_reader import ScriptedReader

QUESTIONS = [
    short_question(str(number), f"Who leads choir {number}?", {"Lena Dahl leads it.": "correct"}, ["Lena Dahl"])
    for number in range(8)
]
NAMES = ("no RAG", "concatenated")


def report(tmp_path: Path, *arguments: str) -> Report:
    parser = argparse.ArgumentParser()
    add_asking_options(parser, None)
    return Report(Options(extra=parser.parse_args([*arguments, "--work", str(tmp_path)])))


async def test_all_are_asked_once_and_the_cost_was_foretold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = ScriptedChat('Answers: ["Lena Dahl"]', name="model")
    monkeypatch.setattr(asking, "language_model", lambda _: chat)
    runner = StrategyRunner(ScriptedReader({}), CompactJudge(), None)
    only_foretold = report(tmp_path, "--foretell")
    assert await ask_all(only_foretold, runner, QUESTIONS, NAMES) is None
    assert (only_foretold.figures["foretold calls"], chat.calls) == (16, [])
    asked = await ask_all(report(tmp_path), runner, QUESTIONS, NAMES)
    assert asked is not None
    assert len(chat.calls) == 16
    assert all(is_right(question, asked.done[question.id][name]) for question in QUESTIONS for name in NAMES)
    again = report(tmp_path)
    assert await ask_all(again, runner, QUESTIONS, NAMES) == asked
    assert (again.figures["foretold calls"], len(chat.calls)) == (0, 16)
    assert await ask_all(report(tmp_path, "--minutes", "0"), runner, QUESTIONS, NAMES) is None
