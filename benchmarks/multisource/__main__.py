"""`python -m benchmarks.multisource`: run the corpora that are missing, then tables and plots of all results.

Options of this benchmark: `--work` is the folder of results, `--datasets` names corpora (and `timing`), `--questions` a
file in the SQuAD format, `--plots` a folder for PNG files, `--report` runs nothing, `--rescore` computes all rows anew
from the records, `--estimation` and `--test` take fewer questions (in a `--work` of their own). The compact reader
reads; `--perfect-reader` takes one without errors, so that everything but the reader is measured; `--sentences` has the
compact one answer in whole sentences. A language model (`--model`) also answers without any passage, and with
`--model-reads` it is the reader.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from answering.models import Chat
from answering.readers import ChatReader, CompactReader, Reader
from benchmarks.harness import CannotMeasureError, Report, run
from benchmarks.harness.cache import CachedChat, JsonLines
from benchmarks.harness.language_model import add_model_options, language_model, rehearse
from benchmarks.multisource import BENCHMARK, conflicts, plots, snopes
from benchmarks.multisource import report as tables
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.readers import RehearsingReader, SentenceReader
from benchmarks.multisource.recording import recorded
from benchmarks.multisource.runner import CorpusJob, Missing, missing, opened_service, run_all, time_questions
from benchmarks.multisource.settings import PLANS, quick, shrunk
from benchmarks.multisource.store import Store
from benchmarks.multisource.synthetic import build
from benchmarks.multisource.wordings import load_pool, perfect_reader

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
    model: str | None
    foretell: bool
    model_reads: bool


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
    add_model_options(parser)
    parser.add_argument("--model-reads", action="store_true", help="the language model is the reader, too")


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
    chat = _chat(report, chosen)
    reader = ChatReader(chat) if chat and chosen.model_reads else _reader(chosen, facts)
    if not chosen.report:
        seeds = min(report.options.seeds, 1 if report.options.quick else MOST_SEEDS)
        todo = missing(store, jobs, seeds, reader.name)
        if todo and (chat is None or asyncio.run(_rehearse(report, chosen, chat, todo, facts))):
            asyncio.run(run_all(store, todo, reader, chat))
        if TIMING in chosen.datasets and not report.options.quick:
            uncached = perfect_reader(facts) if chosen.perfect_reader else CompactReader()
            asyncio.run(time_questions(store, uncached, facts))
    rows = [row for row in store.rows() if row["reader"] == reader.name]
    tables.tabulate(report, rows)
    if chosen.plots is not None:
        for path in plots.draw(rows, chosen.plots):
            print(path, file=sys.stderr)


def _reader(chosen: MultisourceOptions, facts: Sequence[Fact]) -> Reader:
    """The compact one remembers: the same passages stand in many corpora."""
    if chosen.perfect_reader:
        return perfect_reader(facts)
    reader = CompactReader(cache_size=REMEMBERED)
    return SentenceReader(reader) if chosen.sentences else reader


def _chat(report: Report, chosen: MultisourceOptions) -> CachedChat | None:
    """The language model with its completions kept in the folder of results."""
    if report.options.quick or chosen.model is None:
        report.rival_skipped("no RAG", "name a language model with --model, without --quick")
        return None
    return CachedChat(language_model(chosen.model), JsonLines(chosen.work / "completions.jsonl"))


async def _rehearse(
    report: Report, chosen: MultisourceOptions, chat: CachedChat, todo: Missing, facts: Sequence[Fact]
) -> bool:
    """Foretell the cost from the first corpus, in which a perfect reader answers in the place of the model."""
    plan, corpus = todo[0]

    async def ask(stand_in: Chat) -> None:
        perfect = perfect_reader(facts)
        reader = RehearsingReader(ChatReader(stand_in), perfect) if chosen.model_reads else perfect
        async with opened_service(reader, stand_in) as runtime:
            await recorded(runtime, corpus, plan)

    return await rehearse(report, chat, ask, 1 / len(todo))


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
