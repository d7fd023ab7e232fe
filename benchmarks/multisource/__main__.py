"""`python -m benchmarks.multisource`: run the corpora that are missing, then tables and plots of all results.

Options of this benchmark: `--work` is the folder of results, `--datasets` names corpora (and `timing`), `--questions` a
file in the SQuAD format, `--plots` a folder for PNG files, `--report` runs nothing, `--rescore` computes all rows anew
from the records, `--estimation` and `--test` take fewer questions (in a `--work` of their own). The reader is that of
the service's settings: with CREDENCE_READER=gguf and CREDENCE_READER_MODEL a language model reads; `--perfect-reader`
takes one without errors, so that everything but the reader is measured; `--sentences` has the compact reader answer in
whole sentences. With a chat model (CREDENCE_CHAT) it also answers without any passage.
"""

import argparse
import asyncio
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
from benchmarks.multisource.runner import CorpusJob, run_jobs, time_questions
from benchmarks.multisource.sentences import SentenceReader
from benchmarks.multisource.settings import PLANS, quick, shrunk
from benchmarks.multisource.store import Store
from benchmarks.multisource.synthetic import build
from benchmarks.multisource.wordings import load_pool, perfect_reader
from registry.platform.providers import build_reader
from registry.platform.settings import Settings

MOST_SEEDS = 10
REMEMBERED = 200_000
QUESTIONS = Path("reader_train") / "xquad.en.json.gz"
TIMING, SNOPES = "timing", "snopes"
ALL = (*PLANS, *conflicts.LOADERS, TIMING, SNOPES)


@dataclass(frozen=True, slots=True)
class MultisourceOptions:
    """The options of this benchmark."""

    work: Path
    datasets: tuple[str, ...]
    questions: Path | None
    plots: Path | None
    report: bool
    rescore: bool
    estimation: int | None
    test: int | None
    perfect_reader: bool
    sentences: bool


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--work", type=Path, default=Path("build") / "multisource")
    parser.add_argument("--datasets", type=_names, default=ALL)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--plots", type=Path)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--rescore", action="store_true")
    parser.add_argument("--estimation", type=int)
    parser.add_argument("--test", type=int)
    parser.add_argument("--perfect-reader", action="store_true")
    parser.add_argument("--sentences", action="store_true")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = set(names) - set(ALL)
    if unknown:
        message = f"no corpora {', '.join(sorted(unknown))}; there are {', '.join(ALL)}"
        raise argparse.ArgumentTypeError(message)
    return names


def measure(report: Report) -> None:
    """Run the corpora that are missing, then report all results."""
    chosen = MultisourceOptions(**vars(report.options.extra))
    facts = _facts(report, chosen)
    report.figure("questions", len(facts))
    if report.options.quick:
        with tempfile.TemporaryDirectory() as folder:
            plan = quick()
            _measure(
                report, chosen, Store(Path(folder)), [CorpusJob(plan, partial(build, plan.setting, facts=facts))], facts
            )
        return
    store = Store(chosen.work)
    if chosen.rescore:
        store.rescore()
    _measure(report, chosen, store, _jobs(report, chosen, facts), facts)
    if SNOPES in chosen.datasets:
        snopes.measure(report, chosen.work, read_only=chosen.report)


def _measure(
    report: Report, chosen: MultisourceOptions, store: Store, jobs: Sequence[CorpusJob], facts: Sequence[Fact]
) -> None:
    reader = _reader(chosen, facts)
    if not chosen.report:
        seeds = min(report.options.seeds, 1 if report.options.quick else MOST_SEEDS)
        asyncio.run(run_jobs(store, jobs, seeds, reader))
        if TIMING in chosen.datasets and not report.options.quick:
            asyncio.run(time_questions(store, perfect_reader(facts) if chosen.perfect_reader else _forgetful(), facts))
    rows = [row for row in store.rows() if row["reader"] == reader.name]
    tables.tabulate(report, rows)
    if chosen.plots is not None:
        for path in plots.draw(rows, chosen.plots):
            print(path, file=sys.stderr)


def _reader(chosen: MultisourceOptions, facts: Sequence[Fact]) -> Reader:
    """The compact one remembers: the same passages stand in many corpora."""
    if chosen.perfect_reader:
        return perfect_reader(facts)
    reader = CompactReader(cache_size=REMEMBERED) if Settings().reader == "compact" else _forgetful()
    return SentenceReader(reader) if chosen.sentences else reader


def _forgetful() -> Reader:
    reader = build_reader(Settings())
    if reader is None:
        raise CannotMeasureError("CREDENCE_READER is none; nothing can be read")
    return reader


def _jobs(report: Report, chosen: MultisourceOptions, facts: Sequence[Fact]) -> list[CorpusJob]:
    plans = [
        shrunk(PLANS[name], estimation=chosen.estimation, test=chosen.test) for name in PLANS if name in chosen.datasets
    ]
    made = [CorpusJob(plan, partial(build, plan.setting, facts=facts)) for plan in plans]
    for name, load in conflicts.LOADERS.items():
        if name in chosen.datasets and (report.options.data / name).is_dir():
            loaded = load(report.options.data)
            plan = conflicts.plan_of(name, len(loaded))
            made.append(CorpusJob(plan, partial(conflicts.deal, plan, conflicts=loaded)))
    return made


def _facts(report: Report, chosen: MultisourceOptions) -> list[Fact]:
    path = chosen.questions or report.options.data / QUESTIONS
    if not path.is_file():
        message = f"no questions at {path}; name a file in the SQuAD format with --questions"
        raise CannotMeasureError(message)
    return load_pool(path)


if __name__ == "__main__":
    raise SystemExit(run(BENCHMARK, measure, add_options=add_options))
