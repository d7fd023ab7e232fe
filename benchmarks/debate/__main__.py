"""`python -m benchmarks.debate`: strategies without a language model, then, question by question, those with one.

Without `--model` (a GGUF file or URL#name, or BENCHMARK_CHAT) only the first part is measured. Strategies share
completions, with which an interrupted run continues. `--strategies` names some (separated by `;`; `all` adds those that
run only on request), `--choosing` takes the calibration questions instead of the reported ones. A question counts once
all strategies have finished it.
"""

import argparse
import asyncio
from pathlib import Path

from answering.errors import ModelDamaged
from answering.judges.compact import CompactJudge
from answering.readers import CompactReader
from benchmarks.data.ramdocs import load_questions
from benchmarks.data.splits import Part
from benchmarks.debate import BENCHMARK
from benchmarks.debate.asking import add_asking_options, ask_all
from benchmarks.debate.evidence import CachingReader
from benchmarks.debate.strategies import NAMES, ON_REQUEST, WITHOUT_MODEL, StrategyRunner, with_selected_sources
from benchmarks.debate.tables import tabulate, tabulate_without_model
from benchmarks.harness import CannotMeasureError, Report, run

QUESTIONS, QUICK_MINUTES, QUICK_QUESTIONS = 60, 0.3, 24
USUAL = tuple(name for name in NAMES if name not in ON_REQUEST)
ALL_NAMES = (*NAMES, *with_selected_sources(NAMES))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    add_asking_options(parser, QUESTIONS)
    parser.add_argument("--strategies", type=_names, default=(*USUAL, *with_selected_sources(USUAL)))
    parser.add_argument("--choosing", action="store_true")


def measure(report: Report) -> None:
    """The strategies without a language model, then those with one."""
    chosen = report.options.extra
    if unknown := set(chosen.strategies) - set(ALL_NAMES):
        raise CannotMeasureError(f"no such strategy: {', '.join(sorted(unknown))}; there are {'; '.join(ALL_NAMES)}")
    if report.options.quick:
        chosen.minutes = min(chosen.minutes, QUICK_MINUTES)
    asyncio.run(_measure(report, report.folder("ramdocs") / "ramdocs_dev.jsonl"))


async def _measure(report: Report, path: Path) -> None:
    chosen = report.options.extra
    runner = StrategyRunner(CachingReader(CompactReader()), CompactJudge(), None)
    try:
        await _without_model(report, runner, path)
        part = Part.CALIBRATION if chosen.choosing else Part.REPORT
        questions = load_questions(path, chosen.questions, part=part)
        asked = await ask_all(report, runner, questions, chosen.strategies)
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error
    finally:
        await runner.aclose()
    if asked is not None:
        name = f"{asked.model}{', calibration questions' if chosen.choosing else ''}"
        finished = [question for question in questions if question.id in asked.done]
        tabulate(report, asked.done, finished, name, asked.seconds)


async def _without_model(report: Report, runner: StrategyRunner, path: Path) -> None:
    most = QUICK_QUESTIONS if report.options.quick else None
    reported = load_questions(path, most)
    names = (*WITHOUT_MODEL, *with_selected_sources(WITHOUT_MODEL))
    done = {question.id: {name: await runner.outcome(name, question, 60.0) for name in names} for question in reported}
    tabulate_without_model(report, done, reported)


def _names(text: str) -> tuple[str, ...]:
    return ALL_NAMES if text == "all" else tuple(text.split(";"))


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
