"""`python -m benchmarks.debate`: what needs no language model, then, question by question, what does.

Beside the options of every benchmark: `--model` is a GGUF file or URL#name (or BENCHMARK_CHAT); without one only the
first part is measured. `--work` keeps every completion, so that strategies share what they ask alike, a run that was
cut off goes on, and a parser mended later needs no new ones. `--questions` are drawn by seed, `--strategies` names
some (with `;` between; `all` adds those that are not run by themselves), `--minutes` stops asking after a while,
`--at-once` asks so many questions side by side (for a server that batches; each then takes longer), `--report` asks
nothing, `--choosing` asks the questions by which settings are chosen in place of those that are reported. A question
counts once all strategies have finished it: whatever is there is a smaller sample.
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
from benchmarks.debate import BENCHMARK, thresholds
from benchmarks.debate.evidence import MemoReader
from benchmarks.debate.strategies import FREE, MORE, NAMES, Bench, Outcome, on_selected
from benchmarks.debate.tables import tabulate, tell_free
from benchmarks.harness import CannotMeasureError, Report, run
from benchmarks.harness.cache import CachedChat, JsonLines
from benchmarks.harness.language_model import language_model

QUICK_MINUTES, QUICK_QUESTIONS = 0.3, 24
USUAL = tuple(name for name in NAMES if name not in MORE)
ALL_NAMES = (*NAMES, *on_selected(NAMES))
Outcomes = dict[str, dict[str, Outcome]]
"""By question, then by strategy."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What this benchmark can be told beyond what all can."""

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
    parser.add_argument("--strategies", type=_names, default=(*USUAL, *on_selected(USUAL)))
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--at-once", type=_at_least_one, default=1)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--choosing", action="store_true")


def measure(report: Report) -> None:
    """Without a language model, then with one."""
    chosen = Choices(**vars(report.options.extra))
    if unknown := set(chosen.strategies) - set(ALL_NAMES):
        raise CannotMeasureError(f"no such strategy: {', '.join(sorted(unknown))}; there are {'; '.join(ALL_NAMES)}")
    path = report.folder("ramdocs") / "ramdocs_dev.jsonl"
    if report.options.quick:
        chosen = replace(chosen, minutes=min(chosen.minutes, QUICK_MINUTES))
    asyncio.run(_measure(report, chosen, path))


async def _measure(report: Report, chosen: Choices, path: Path) -> None:
    reader, judge = MemoReader(CompactReader()), CompactJudge()
    try:
        await _without_model(report, Bench(reader, judge, None), path)
        part = Part.CALIBRATION if chosen.choosing else Part.REPORT
        questions = load_questions(path, chosen.questions, part=part)
        await _with_model(report, Bench(reader, judge, None), chosen, questions)
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    finally:
        await reader.aclose()
        await judge.aclose()


async def _without_model(report: Report, bench: Bench, path: Path) -> None:
    most = QUICK_QUESTIONS if report.options.quick else None
    reported = load_questions(path, most)
    names = (*FREE, *on_selected(FREE))
    done = {one.id: {name: await bench.outcome(name, one, 60.0) for name in names} for one in reported}
    tell_free(report, done, reported)
    choosing = load_questions(path, most, part=Part.CALIBRATION)
    cases = [await thresholds.cases_of(bench.reader, bench.judge, some) for some in (choosing, reported)]
    thresholds.tell(report, *cases)


async def _with_model(report: Report, bench: Bench, chosen: Choices, questions: Sequence[Question]) -> None:
    try:
        model = language_model(chosen.model)
    except CannotMeasureError as reason:
        report.rival_skipped("strategies with a language model", str(reason))
        return
    lines = JsonLines(chosen.work / "completions.jsonl")
    try:
        done, seconds = await ask_all(bench, model, lines, questions, chosen)
    finally:
        await model.aclose()
    if done:
        told = f"{model.name}{' (to choose by)' if chosen.choosing else ''}"
        tabulate(report, done, [one for one in questions if one.id in done], told, seconds)
    else:
        report.rival_skipped("strategies with a language model", f"no question was finished by all with {model.name}")


async def ask_all(
    bench: Bench, chat: Chat, lines: JsonLines, questions: Sequence[Question], chosen: Choices
) -> tuple[Outcomes, float]:
    """What was finished, and the seconds of the model that a question took."""
    end, turn, done, spent = time.monotonic() + chosen.minutes * 60, asyncio.Semaphore(chosen.at_once), Outcomes(), 0.0

    async def ask(number: int, question: Question) -> None:
        nonlocal spent
        async with turn:
            kept = CachedChat(chat, lines, read_only=chosen.report)
            outcomes = await _asked(replace(bench, chat=kept), question, chosen.strategies, end)
        if outcomes is not None:
            done[question.id] = outcomes
            spent += kept.seconds
        if outcomes is not None or not chosen.report:
            told = "not finished" if outcomes is None else f"{kept.seconds:.0f} s"
            print(f"question {number} of {len(questions)}: {told}", file=sys.stderr, flush=True)

    await asyncio.gather(*(ask(number, question) for number, question in enumerate(questions, 1)))
    return done, spent / max(len(done), 1)


async def _asked(bench: Bench, question: Question, strategies: Sequence[str], end: float) -> dict[str, Outcome] | None:
    """What every strategy answers, or nothing if one of them was not finished."""
    outcomes = dict[str, Outcome]()
    for name in strategies:
        left = end - time.monotonic()
        if left <= 0:
            return None
        outcomes[name] = await bench.outcome(name, question, left)
        if not outcomes[name].whole:
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
