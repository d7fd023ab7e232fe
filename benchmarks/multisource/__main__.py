"""`python -m benchmarks.multisource`: run the worlds that are not run yet, then tables and plots of all there are.

Beside the options of every benchmark: `--work` keeps what was measured, `--worlds` names settings (and `timing`),
`--questions` is a file in the SQuAD format, `--plots` a folder for PNG files, `--report` runs nothing, `--rescore`
makes all rows anew from the harvests, `--estimation` and `--test` take fewer questions (in a `--work` of its own). The
reader is that of the service's settings: with CREDENCE_READER=gguf and CREDENCE_READER_MODEL a language model reads.
"""

import argparse
import asyncio
import logging
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from answering.readers import CompactReader, Reader
from benchmarks import world as databases
from benchmarks.harness import CannotMeasureError, Report, run
from benchmarks.multisource import plots, timing
from benchmarks.multisource import report as tables
from benchmarks.multisource.collect import harvested
from benchmarks.multisource.facts import Fact
from benchmarks.multisource.settings import PLANS, Plan, quick, shrunk
from benchmarks.multisource.store import Store
from benchmarks.multisource.wordings import load_pool
from benchmarks.multisource.worlds import build
from registry.language import build_reader
from registry.settings import Settings

MOST_SEEDS = 10
QUESTIONS = Path("reader_train") / "xquad.en.json.gz"
TIMING = "timing"


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


def choices(arguments: Sequence[str]) -> tuple[Choices, list[str]]:
    """The choices, and the arguments that are left for the harness."""
    parser = argparse.ArgumentParser(add_help=False, description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("build") / "multisource")
    parser.add_argument("--worlds", type=lambda text: tuple(text.split(",")), default=(*PLANS, TIMING))
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--plots", type=Path)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--rescore", action="store_true")
    parser.add_argument("--estimation", type=int)
    parser.add_argument("--test", type=int)
    found, rest = parser.parse_known_args(arguments)
    return Choices(**vars(found)), rest


def measure(report: Report, chosen: Choices) -> None:
    """Run what is missing, then report all that is there."""
    if report.options.quick:
        with tempfile.TemporaryDirectory() as folder:
            _measure(report, chosen, Store(Path(folder)), {"quick": quick()})
        return
    plans = {name: shrunk(PLANS[name], estimation=chosen.estimation, test=chosen.test)
             for name in chosen.worlds if name != TIMING}  # fmt: skip
    _measure(report, chosen, Store(chosen.work), plans)


def _measure(report: Report, chosen: Choices, store: Store, plans: dict[str, Plan]) -> None:
    facts, reader = _facts(report, chosen), _reader()
    if chosen.rescore:
        store.rescore()
    if not chosen.report:
        asyncio.run(_run(report, chosen, store, plans, facts, reader))
    rows = [row for row in store.rows() if row["reader"] == reader.name]
    tables.tabulate(report, rows)
    report.figure("questions", len(facts))
    if chosen.plots is not None:
        for path in plots.draw(rows, chosen.plots):
            print(path, file=sys.stderr)


def _facts(report: Report, chosen: Choices) -> list[Fact]:
    path = chosen.questions or report.options.data / QUESTIONS
    if not path.is_file():
        message = f"no questions at {path}; name a file in the SQuAD format with --questions"
        raise CannotMeasureError(message)
    return load_pool(path)


async def _run(
    report: Report, chosen: Choices, store: Store, plans: dict[str, Plan], facts: Sequence[Fact], reader: Reader
) -> None:
    seeds = min(report.options.seeds, 1 if report.options.quick else MOST_SEEDS)
    todo = [
        (made, plan)
        for seed in range(seeds)
        for plan in plans.values()
        if seed < (plan.seeds or seeds) and not store.known(made := build(plan.setting, seed, facts), reader.name)
    ]
    timing_wanted = TIMING in chosen.worlds and not report.options.quick and not _is_timed(store, reader)
    if not todo and not timing_wanted:
        return
    with databases.fresh_database() as (url, _):
        async with databases.opened(url, reader) as runtime:
            for made, plan in todo:
                store.keep(made, await harvested(runtime, made, plan))
                print(f"{made.setting.name}, seed {made.seed}: done", file=sys.stderr, flush=True)
            if timing_wanted:
                store.append(await timing.timed(runtime, facts))


def _is_timed(store: Store, reader: Reader) -> bool:
    return any(row["part"] == "seconds" and row["reader"] == reader.name for row in store.rows())


def _reader() -> Reader:
    return build_reader(Settings()) or CompactReader()


if __name__ == "__main__":
    logging.getLogger("procrastinate").setLevel(logging.WARNING)
    given, others = choices(sys.argv[1:])
    raise SystemExit(run("multisource", lambda report: measure(report, given), others))
