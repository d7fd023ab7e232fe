"""`python -m benchmarks.debate`: run what is not run yet, then tables of all there is.

Beside the options of every benchmark: `--model` is a GGUF file or URL#name (or BENCHMARK_CHAT), `--work` keeps every
completion and every finished (question, strategy), `--questions` are drawn by seed, `--strategies` names some,
`--minutes` stops asking after a while, `--report` asks nothing.
"""

import argparse
import asyncio
import hashlib
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from answering.compact.pack import Pack
from answering.errors import ModelDamaged
from answering.judges.compact import CompactJudge
from answering.prompts import load_prompt
from answering.readers import CompactReader
from answering.readers.compact import WEIGHTS
from benchmarks.debate.model import language_model
from benchmarks.debate.questions import Question, load_questions
from benchmarks.debate.store import KeptChat, Lines
from benchmarks.debate.strategies import NAMES, ON_SELECTED, SELECTED, Bench
from benchmarks.debate.tables import tabulate
from benchmarks.harness import CannotMeasureError, Report, run

QUICK_MINUTES = 0.4
ALL_NAMES = (*NAMES, *(f"{name}{SELECTED}" for name in ON_SELECTED))
PROMPTS = ("closed_book", "concatenated", "debate_agent", "debate_agent_revises", "debate_aggregator", "astute_recall",
           "astute_consolidate", "astute_answer", "drag_search_proponent", "drag_search_challenger",
           "drag_search_judge", "drag_proponent", "drag_challenger", "drag_judge")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choices:
    """What this benchmark can be told beyond what all can."""

    model: str | None
    work: Path
    questions: int
    strategies: tuple[str, ...]
    minutes: float
    report: bool


def choices(arguments: Sequence[str]) -> tuple[Choices, list[str]]:
    """The choices, and the arguments that are left for the harness."""
    parser = argparse.ArgumentParser(add_help=False, description=__doc__)
    parser.add_argument("--model", default=os.environ.get("BENCHMARK_CHAT"))
    parser.add_argument("--work", type=Path, default=Path("build") / "debate")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--strategies", type=lambda text: tuple(text.split(";")), default=ALL_NAMES)
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--report", action="store_true")
    found, rest = parser.parse_known_args(arguments)
    return Choices(**vars(found)), rest


def measure(report: Report, chosen: Choices) -> None:
    """Ask what is missing, then report all that is there."""
    path = report.folder("ramdocs") / "ramdocs_dev.jsonl"
    if unknown := set(chosen.strategies) - set(ALL_NAMES):
        raise CannotMeasureError(f"no such strategy: {', '.join(sorted(unknown))}; there are {'; '.join(ALL_NAMES)}")
    if report.options.quick:
        chosen = replace(chosen, minutes=min(chosen.minutes, QUICK_MINUTES))
    questions = load_questions(path, chosen.questions)
    version = _version(chosen.model)
    results = Lines(chosen.work / "results.jsonl")
    if not chosen.report:
        asyncio.run(_ask(_bench(chosen), questions, chosen, results, version))
    tabulate(report, [row for row in results.rows if row["version"] == version], questions)


async def _ask(bench: Bench, questions: Sequence[Question], chosen: Choices, results: Lines, version: str) -> None:
    """Question by question, so that whatever is finished is finished by all strategies."""
    try:
        await _ask_all(bench, questions, chosen, results, version)
    finally:
        await bench.aclose()


async def _ask_all(bench: Bench, questions: Sequence[Question], chosen: Choices, results: Lines, version: str) -> None:
    end = time.monotonic() + chosen.minutes * 60
    known = {(row["version"], row["question"], row["strategy"]) for row in results.rows}
    for number, question in enumerate(questions, 1):
        for name in chosen.strategies:
            left = end - time.monotonic()
            if (version, question.id, name) in known or left <= 0:
                continue
            done = await bench.outcome(name, question, left)
            if done.whole:
                results.append({"version": version, "question": question.id, "strategy": name, **asdict(done)})
        if end <= time.monotonic():
            break
        print(f"question {number} of {len(questions)}", file=sys.stderr, flush=True)


def _bench(chosen: Choices) -> Bench:
    """The compact models and the language model, whose every word is kept."""
    chat = language_model(chosen.model)
    try:
        return Bench(CompactReader(), CompactJudge(), KeptChat(chat, Lines(chosen.work / "completions.jsonl")))
    except ModelDamaged as error:
        raise CannotMeasureError(str(error)) from error


def _version(model: str | None) -> str:
    """What was measured with other prompts or other models is other measurements."""
    name = model if model is None or "://" in model else Path(model).stem
    text = "\n".join([str(name), Pack.open(WEIGHTS).fingerprint, *(load_prompt(prompt).hash for prompt in PROMPTS)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


if __name__ == "__main__":
    given, others = choices(sys.argv[1:])
    raise SystemExit(run("debate", lambda report: measure(report, given), others))
