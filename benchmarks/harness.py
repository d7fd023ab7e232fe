"""The frame that every benchmark stands in: options, machine, clock, tables, one JSON object at the end.

A benchmark is a module `benchmarks/NAME.py` with one function that measures and fills a `Report`:

    def measure(report: Report) -> None:
        size = 2_000 if report.options.quick else 100_000
        books = report.folder("truth_book")                  # skips the benchmark where it is absent
        times = race({"ours": ours, "rival": rival}, repeats=5)
        report.table("Speed", ["who", "median"], [[who, f"{t.median:.3f} s"] for who, t in times.items()])
        report.figure("ratio", times["rival"].median / times["ours"].median)
        report.rival_skipped("crowd-kit", "not installed: pip install crowd-kit")

    if __name__ == "__main__":
        raise SystemExit(run("NAME", measure))

and a name in the list of `benchmarks/__main__.py`. Every benchmark then takes `--quick` (a small form, under
50 seconds), `--json` (one object on the last line of standard output), `--save FILE` (the same object into a
file), `--seeds` and `--data`. A benchmark that cannot run here raises `CannotMeasureError` with the reason:
that is a skip and no failure. Everything else that it raises is a failure.
"""

import argparse
import datetime
import gc
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scipy import stats

from estimator.errors import CredenceError

Cell = str | int | float | None
Measure = Callable[["Report"], None]


class CannotMeasureError(CredenceError):
    """This benchmark cannot run here; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the person asked for on the command line."""

    quick: bool = False
    json: bool = False
    save: Path | None = None
    seeds: int = 20
    data: Path = Path("../shared/data")


@dataclass(frozen=True, slots=True)
class Machine:
    """What the figures were measured on; `cores` are those this process may use."""

    processor: str
    cores: int
    memory_gib: float
    system: str
    python: str

    def __str__(self) -> str:
        """One line for a person."""
        parts = (
            self.processor,
            f"{self.cores} cores",
            f"{self.memory_gib:.0f} GiB",
            self.system,
            self.python,
        )
        return ", ".join(parts)


def machine() -> Machine:
    """Describe this machine, from the operating system."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.machine()}",
        python=f"Python {platform.python_version()}",
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


@dataclass(frozen=True, slots=True)
class Timing:
    """Wall-clock seconds of repeated runs."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Half of the runs were faster."""
        return statistics.median(self.seconds)

    def percentile(self, share: float) -> float:
        """The time that `share` percent of the runs stayed below, interpolated."""
        return float(np.percentile(self.seconds, share))


def race(contestants: Mapping[str, Callable[[], object]], *, repeats: int, warmups: int = 1) -> dict[str, Timing]:
    """Time every contestant `repeats` times in turn, so that a slow moment of the machine hits all alike."""
    for contestant in contestants.values():
        for _ in range(warmups):
            contestant()
    rounds = [{name: _once(contestant) for name, contestant in contestants.items()} for _ in range(repeats)]
    return {name: Timing(tuple(times[name] for times in rounds)) for name in contestants}


def timed(contestant: Callable[[], object], *, repeats: int, warmups: int = 1) -> Timing:
    """Time one function, as `race` does."""
    return race({"it": contestant}, repeats=repeats, warmups=warmups)["it"]


def _once(contestant: Callable[[], object]) -> float:
    gc.collect()  # a collection of what the previous contestant left behind is not this one's time
    start = time.perf_counter()
    contestant()
    return time.perf_counter() - start


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the half width of its 95 % interval."""

    mean: float
    half_width: float

    def __str__(self) -> str:
        """`mean ± half width` with three decimals."""
        return f"{self.mean:.3f} ± {self.half_width:.3f}"


def interval(values: Sequence[float]) -> Interval:
    """The mean of independent values with Student's 95 % interval; one value has no width to tell (NaN)."""
    sample = np.asarray(values, dtype=np.float64)
    if sample.size < 2:
        return Interval(float(sample.mean()), float("nan"))
    error = float(sample.std(ddof=1)) / sample.size**0.5
    return Interval(float(sample.mean()), float(stats.t.ppf(0.975, sample.size - 1)) * error)


@dataclass(frozen=True, slots=True)
class Grid:
    """One table of a report; numbers are printed as they are, so format them first."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(slots=True)
class Report:
    """What one benchmark measured: tables for a person, figures for a program, rivals that were missing."""

    options: Options
    tables: list[Grid] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    rivals_skipped: dict[str, str] = field(default_factory=dict)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Add a table."""
        self.tables.append(Grid(title, tuple(columns), tuple(tuple(row) for row in rows)))

    def figure(self, name: str, value: float) -> None:
        """Add a number that programs compare from run to run."""
        self.figures[name] = value

    def rival_skipped(self, name: str, reason: str) -> None:
        """Say why a rival was not measured beside ours."""
        self.rivals_skipped[name] = reason

    def folder(self, name: str) -> Path:
        """The data set `name` below `--data`; the benchmark is skipped where it is absent."""
        path = self.options.data / name
        if not path.is_dir():
            message = f"no data set {name!r} in {self.options.data}; say with --data where it is"
            raise CannotMeasureError(message)
        return path


def run(name: str, measure: Measure, arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, measure, print, and return the exit status (0 also for a skip)."""
    options = parse(f"python -m benchmarks.{name}", arguments)
    report = Report(options)
    start = time.perf_counter()
    skipped: str | None = None
    try:
        measure(report)
    except CannotMeasureError as reason:
        skipped = str(reason)
    summary = _summary(name, report, skipped, time.perf_counter() - start)
    show(report, skipped, console())
    emit(summary, options)
    return 0


def parse(program: str, arguments: Sequence[str] | None) -> Options:
    """Read the options that all benchmarks share; `arguments` None means the command line."""
    defaults = Options()
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("--quick", action="store_true", help="the small form, under 50 seconds")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the JSON object into FILE too")
    parser.add_argument("--seeds", type=_count, default=defaults.seeds, help="random repetitions (default 20)")
    parser.add_argument("--data", type=Path, default=defaults.data, help="folder of the public data sets")
    return Options(**vars(parser.parse_args(arguments)))


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        message = f"{text!r} is not a count; give 1 or more"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _summary(name: str, report: Report, skipped: str | None, seconds: float) -> dict[str, Any]:
    return {
        "benchmark": name,
        "quick": report.options.quick,
        "seeds": report.options.seeds,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 2),
        "machine": asdict(machine()),
        "skipped": skipped,
        "rivals_skipped": report.rivals_skipped,
        "figures": report.figures,
        "tables": [asdict(grid) for grid in report.tables],
    }


def console() -> Console:
    """Where a person reads: the terminal in its own width, a file in one that no table is cut at."""
    return Console() if sys.stdout.isatty() else Console(width=140)


def show(report: Report, skipped: str | None, screen: Console) -> None:
    """Print a report for a person."""
    for grid in report.tables:
        screen.print(f"\n{grid.title}", markup=False, highlight=False)
        table = Table(*map(escape, grid.columns))
        for row in grid.rows:
            table.add_row(*("" if cell is None else escape(str(cell)) for cell in row))
        screen.print(table)
    for name, reason in report.rivals_skipped.items():
        screen.print(f"{name} was not measured: {reason}", markup=False)
    if skipped is not None:
        screen.print(f"skipped: {skipped}", markup=False)
    screen.print(str(machine()), markup=False, highlight=False)


def emit(summary: Mapping[str, Any], options: Options) -> None:
    """Hand the JSON object to whoever asked for it; a number that is not finite becomes null."""
    text = json.dumps(_finite(summary), ensure_ascii=False, allow_nan=False)
    if options.save is not None:
        options.save.write_text(text + "\n", encoding="utf-8")
    if options.json:
        print(text, flush=True)


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
