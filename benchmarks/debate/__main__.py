"""`python -m benchmarks.debate`: strategies without a language model, then, question by question, those with one.

Options of this benchmark: `--model` is a GGUF file or URL#name (or BENCHMARK_CHAT); without one only the first part is
measured. `--work` is the folder of completions, which strategies share and with which an interrupted run continues.
`--questions` is the size of the random sample, `--strategies` names some (separated by `;`; `all` adds those that run
only on request), `--minutes` is a time limit, `--at-once` the number of concurrent questions, `--report` calls no
model, `--choosing` takes the calibration questions instead of the reported ones. A question counts once all strategies
have finished it.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from answering.errors import ModelDamaged
from answering.judges.compact import CompactJudge
from answering.models import Chat
from answering.readers import CompactReader
from benchmarks.data.ramdocs import Question, load_questions
from benchmarks.data.splits import Part
from benchmarks.debate import BENCHMARK
from benchmarks.debate.evidence import CachingReader
from benchmarks.debate.strategies import (
    NAMES,
    ON_REQUEST,
    WITHOUT_MODEL,
    Outcome,
    StrategyRunner,
    with_selected_sources,
)
from benchmarks.debate.tables import tabulate, tabulate_without_model
from benchmarks.harness import CannotMeasureError, Report, run
from benchmarks.harness.cache import CachedChat, JsonLines
from benchmarks.harness.language_model import language_model

QUICK_MINUTES, QUICK_QUESTIONS = 0.3, 24
USUAL = tuple(name for name in NAMES if name not in ON_REQUEST)
ALL_NAMES = (*NAMES, *with_selected_sources(NAMES))
Outcomes = dict[str, dict[str, Outcome]]
"""By question, then by strategy."""


@dataclass(frozen=True, slots=True)
class DebateOptions:
    """The options of this benchmark."""

    model: str | None
    work: Path
    questions: int
    strategies: tuple[str, ...]
    minutes: float
    at_once: int
    report: bool
    choosing: bool


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--model", default=os.environ.get("BENCHMARK_CHAT"))
    parser.add_argument("--work", type=Path, default=Path("build") / "debate")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--strategies", type=_names, default=(*USUAL, *with_selected_sources(USUAL)))
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--at-once", type=_at_least_one, default=1)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--choosing", action="store_true")


def measure(report: Report) -> None:
    """The strategies without a language model, then those with one."""
    chosen = DebateOptions(**vars(report.options.extra))
    if unknown := set(chosen.strategies) - set(ALL_NAMES):
        raise CannotMeasureError(f"no such strategy: {', '.join(sorted(unknown))}; there are {'; '.join(ALL_NAMES)}")
    path = report.folder("ramdocs") / "ramdocs_dev.jsonl"
    if report.options.quick:
        chosen = replace(chosen, minutes=min(chosen.minutes, QUICK_MINUTES))
    asyncio.run(_measure(report, chosen, path))


async def _measure(report: Report, chosen: DebateOptions, path: Path) -> None:
    reader, judge = CachingReader(CompactReader()), CompactJudge()
    try:
        await _without_model(report, StrategyRunner(reader, judge, None), path)
        part = Part.CALIBRATION if chosen.choosing else Part.REPORT
        questions = load_questions(path, chosen.questions, part=part)
        await _with_model(report, StrategyRunner(reader, judge, None), chosen, questions)
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    finally:
        await reader.aclose()
        await judge.aclose()


async def _without_model(report: Report, runner: StrategyRunner, path: Path) -> None:
    most = QUICK_QUESTIONS if report.options.quick else None
    reported = load_questions(path, most)
    names = (*WITHOUT_MODEL, *with_selected_sources(WITHOUT_MODEL))
    done = {question.id: {name: await runner.outcome(name, question, 60.0) for name in names} for question in reported}
    tabulate_without_model(report, done, reported)


async def _with_model(
    report: Report, runner: StrategyRunner, chosen: DebateOptions, questions: Sequence[Question]
) -> None:
    try:
        model = language_model(chosen.model)
    except CannotMeasureError as reason:
        report.rival_skipped("strategies with a language model", str(reason))
        return
    lines = JsonLines(chosen.work / "completions.jsonl")
    try:
        done, seconds = await ask_all(runner, model, lines, questions, chosen)
    finally:
        await model.aclose()
    if done:
        name = f"{model.name}{', calibration questions' if chosen.choosing else ''}"
        tabulate(report, done, [question for question in questions if question.id in done], name, seconds)
    else:
        report.rival_skipped("strategies with a language model", f"no question was finished by all with {model.name}")


async def ask_all(
    runner: StrategyRunner, chat: Chat, lines: JsonLines, questions: Sequence[Question], chosen: DebateOptions
) -> tuple[Outcomes, float]:
    """What was finished, and the seconds of the model that a question took."""
    end, turn, done, spent = time.monotonic() + chosen.minutes * 60, asyncio.Semaphore(chosen.at_once), Outcomes(), 0.0

    async def ask(number: int, question: Question) -> None:
        nonlocal spent
        async with turn:
            cached = CachedChat(chat, lines, read_only=chosen.report)
            outcomes = await _outcomes(replace(runner, chat=cached), question, chosen.strategies, end)
        if outcomes is not None:
            done[question.id] = outcomes
            spent += cached.seconds
        if outcomes is not None or not chosen.report:
            status = "not finished" if outcomes is None else f"{cached.seconds:.0f} s"
            print(f"question {number} of {len(questions)}: {status}", file=sys.stderr, flush=True)

    await asyncio.gather(*(ask(number, question) for number, question in enumerate(questions, 1)))
    return done, spent / max(len(done), 1)


async def _outcomes(
    runner: StrategyRunner, question: Question, strategies: Sequence[str], end: float
) -> dict[str, Outcome] | None:
    """The outcome of every strategy; None if one of them was not finished."""
    outcomes = dict[str, Outcome]()
    for name in strategies:
        left = end - time.monotonic()
        if left <= 0:
            return None
        outcomes[name] = await runner.outcome(name, question, left)
        if not outcomes[name].complete:
            return None
    return outcomes


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of questions; at least one is asked at a time")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    return ALL_NAMES if text == "all" else tuple(text.split(";"))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
