"""`python -m benchmarks.multisource`: run the worlds that are not run yet, then tables and plots of all there are.

Beside the options of every benchmark: `--work` keeps what was measured, `--worlds` names settings (and `timing`),
`--questions` is a file in the SQuAD format, `--plots` a folder for PNG files, `--report` runs nothing, `--rescore`
makes all rows anew from the harvests, `--estimation` and `--test` take fewer questions (in a `--work` of its own). The
reader is that of the service's settings: with CREDENCE_READER=gguf and CREDENCE_READER_MODEL a language model reads;
`--told` takes one that makes no mistake, so that all but the reader is measured.
"""

import argparse
import asyncio
import logging
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from answering.readers import CompactReader, Reader
from benchmarks.harness import CannotMeasureError, Report, run
from benchmarks.multisource import BENCHMARK, conflicts, plots, snopes
from benchmarks.multisource import report as tables
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.perfect_reader import telling_reader
from benchmarks.multisource.runner import Job, run_jobs, time_questions
from benchmarks.multisource.settings import PLANS, quick, shrunk
from benchmarks.multisource.store import Store
from benchmarks.multisource.synthetic import build
from benchmarks.multisource.wordings import load_pool
from registry.providers import build_reader
from registry.settings import Settings

MOST_SEEDS = 10
REMEMBERED = 200_000
QUESTIONS = Path("reader_train") / "xquad.en.json.gz"
TIMING, SNOPES = "timing", "snopes"
ALL = (*PLANS, *conflicts.LOADERS, TIMING, SNOPES)


@dataclass(frozen=True, slots=True)
class Choices:
    """What this benchmark can be told beyond what all can."""

    work: Path
    worlds: tuple[str, ...]
    questions: Path | None
    plots: Path | None
    report: bool
    rescore: bool
    estimation: int | None
    test: int | None
    told: bool


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--work", type=Path, default=Path("build") / "multisource")
    parser.add_argument("--worlds", type=_names, default=ALL)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--plots", type=Path)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--rescore", action="store_true")
    parser.add_argument("--estimation", type=int)
    parser.add_argument("--test", type=int)
    parser.add_argument("--told", action="store_true")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = set(names) - set(ALL)
    if unknown:
        message = f"no worlds {', '.join(sorted(unknown))}; there are {', '.join(ALL)}"
        raise argparse.ArgumentTypeError(message)
    return names


def measure(report: Report) -> None:
    """Run what is missing, then report all that is there."""
    chosen = Choices(**vars(report.options.extra))
    facts = _facts(report, chosen)
    report.figure("questions", len(facts))
    if report.options.quick:
        with tempfile.TemporaryDirectory() as folder:
            plan = quick()
            _measure(report, chosen, Store(Path(folder)), [Job(plan, partial(build, plan.setting, facts=facts))], facts)
        return
    store = Store(chosen.work)
    if chosen.rescore:
        store.rescore()
    _measure(report, chosen, store, _jobs(report, chosen, facts), facts)
    if SNOPES in chosen.worlds:
        snopes.measure(report, chosen.work, read_only=chosen.report)


def _measure(report: Report, chosen: Choices, store: Store, jobs: Sequence[Job], facts: Sequence[Fact]) -> None:
    reader = _reader(chosen, facts)
    if not chosen.report:
        seeds = min(report.options.seeds, 1 if report.options.quick else MOST_SEEDS)
        asyncio.run(run_jobs(store, jobs, seeds, reader))
        if TIMING in chosen.worlds and not report.options.quick:
            asyncio.run(time_questions(store, telling_reader(facts) if chosen.told else _forgetful(), facts))
    rows = [row for row in store.rows() if row["reader"] == reader.name]
    tables.tabulate(report, rows)
    if chosen.plots is not None:
        for path in plots.draw(rows, chosen.plots):
            print(path, file=sys.stderr)


def _reader(chosen: Choices, facts: Sequence[Fact]) -> Reader:
    """The compact one remembers: the same passages stand in many worlds."""
    if chosen.told:
        return telling_reader(facts)
    return CompactReader(cache_size=REMEMBERED) if Settings().reader == "compact" else _forgetful()


def _forgetful() -> Reader:
    reader = build_reader(Settings())
    if reader is None:
        raise CannotMeasureError("CREDENCE_READER is none; nothing can be read")
    return reader


def _jobs(report: Report, chosen: Choices, facts: Sequence[Fact]) -> list[Job]:
    plans = [
        shrunk(PLANS[name], estimation=chosen.estimation, test=chosen.test) for name in PLANS if name in chosen.worlds
    ]
    made = [Job(plan, partial(build, plan.setting, facts=facts)) for plan in plans]
    for name, load in conflicts.LOADERS.items():
        if name in chosen.worlds and (report.options.data / name).is_dir():
            some = load(report.options.data)
            plan = conflicts.plan_of(name, len(some))
            made.append(Job(plan, partial(conflicts.deal, plan, conflicts=some)))
    return made


def _facts(report: Report, chosen: Choices) -> list[Fact]:
    path = chosen.questions or report.options.data / QUESTIONS
    if not path.is_file():
        message = f"no questions at {path}; name a file in the SQuAD format with --questions"
        raise CannotMeasureError(message)
    return load_pool(path)


if __name__ == "__main__":
    for noisy in ("procrastinate", "httpx2"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
