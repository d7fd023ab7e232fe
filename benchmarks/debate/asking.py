"""Strategies with a language model, question by question: completions kept, a limit of time, the cost foretold."""

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answering.models import Chat
from benchmarks.data.ramdocs import Question
from benchmarks.debate.strategies import Outcome, StrategyRunner
from benchmarks.harness import CannotMeasureError, Report, progress
from benchmarks.harness.cache import CachedChat, JsonLines
from benchmarks.harness.language_model import StandIn, add_model_options, foretell, language_model
from benchmarks.harness.options import count

REHEARSED = 5
Outcomes = dict[str, dict[str, Outcome]]
"""By question, then by strategy."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions that all strategies finished, and the seconds of the model that one took."""

    model: str
    done: Outcomes
    seconds: float


def add_asking_options(parser: argparse.ArgumentParser, questions: int | None) -> None:
    """The options of everything that asks a language model, with the number of questions if none is named."""
    add_model_options(parser)
    parser.add_argument("--work", type=Path, default=Path("build") / "debate", help="the folder of completions")
    parser.add_argument("--questions", type=count, default=questions, help="size of the random sample")
    parser.add_argument("--minutes", type=float, default=600.0, help="time limit")
    parser.add_argument("--at-once", type=count, default=1, help="concurrent questions")
    parser.add_argument("--report", action="store_true", help="call no model")


async def ask_all(
    report: Report, runner: StrategyRunner, questions: Sequence[Question], names: Sequence[str]
) -> Asked | None:
    """The outcomes of the strategies; None, with the reason in the report, without a model."""
    options = report.options.extra
    try:
        model = language_model(options.model)
    except CannotMeasureError as reason:
        report.rival_skipped("strategies with a language model", str(reason))
        return None
    lines = JsonLines(options.work / "completions.jsonl")
    try:
        if not options.report and not await _rehearse(report, runner, model.name, lines, questions, names):
            return None
        done, seconds = await _ask(report, runner, model, lines, questions, names)
    finally:
        await model.aclose()
    if not done:
        report.rival_skipped("strategies with a language model", f"no question was finished by all with {model.name}")
        return None
    return Asked(model.name, done, seconds)


async def _rehearse(
    report: Report,
    runner: StrategyRunner,
    name: str,
    lines: JsonLines,
    questions: Sequence[Question],
    names: Sequence[str],
) -> bool:
    # The last ones: of a run that continues the first are finished.
    stand_in, tried = StandIn(name), questions[-REHEARSED:]
    for question in tried:
        chat = CachedChat(stand_in, lines, keep=False)
        await _outcomes(replace(runner, chat=chat), question, names, end=None)
    return foretell(report, stand_in.usage, len(tried) / len(questions))


async def _ask(
    report: Report,
    runner: StrategyRunner,
    model: Chat,
    lines: JsonLines,
    questions: Sequence[Question],
    names: Sequence[str],
) -> tuple[Outcomes, float]:
    options = report.options.extra
    end, turn = time.monotonic() + options.minutes * 60, asyncio.Semaphore(options.at_once)
    done, spent = Outcomes(), 0.0

    async def ask(number: int, question: Question) -> None:
        nonlocal spent
        async with turn:
            cached = CachedChat(model, lines, read_only=options.report)
            outcomes = await _outcomes(replace(runner, chat=cached), question, names, end)
        if outcomes is not None:
            done[question.id] = outcomes
            spent += cached.seconds
        if outcomes is not None or not options.report:
            status = "not finished" if outcomes is None else f"{cached.seconds:.0f} s"
            progress(f"question {number} of {len(questions)}: {status}")

    await asyncio.gather(*(ask(number, question) for number, question in enumerate(questions, 1)))
    return done, spent / max(len(done), 1)


async def _outcomes(
    runner: StrategyRunner, question: Question, names: Sequence[str], end: float | None
) -> dict[str, Outcome] | None:
    """The outcome of every strategy; None if one of them was not finished."""
    outcomes = dict[str, Outcome]()
    for name in names:
        left = 60.0 if end is None else end - time.monotonic()
        if left <= 0:
            return None
        outcomes[name] = await runner.outcome(name, question, left)
        if end is not None and not outcomes[name].complete:
            return None
    return outcomes
