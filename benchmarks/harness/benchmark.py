"""A benchmark: its name, its headline figures and the run that measures them."""

import datetime
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import structlog

from benchmarks.harness.machine import machine
from benchmarks.harness.options import AddOptions, parse
from benchmarks.harness.report import CannotMeasureError, Report, console, emit

Measure = Callable[[Report], None]


@dataclass(frozen=True, slots=True)
class Headline:
    """A figure that stands on the page of results, beside the same figure of its rivals."""

    title: str
    figure: str
    """The name of the figure in the JSON object."""
    rivals: Mapping[str, str] = field(default_factory=dict)
    """By the rival's name, the name of its figure."""
    aim: float | None = None
    higher_is_better: bool = True
    form: str = ".3f"
    """How figures are formatted; text behind a blank is the unit."""

    def formatted(self, value: float) -> str:
        """The value with its unit."""
        form, _, unit = self.form.partition(" ")
        return f"{value:{form}} {unit}".rstrip()

    def is_met(self, value: float) -> bool:
        """Whether a value reaches the aim; true where there is none."""
        if self.aim is None:
            return True
        return value >= self.aim if self.higher_is_better else value <= self.aim


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What one command `python -m benchmarks.NAME` measures; `page` is its page `docs/results/PAGE.md`."""

    name: str
    summary: str
    page: str
    headlines: tuple[Headline, ...] = ()

    @property
    def program(self) -> str:
        """The command that runs it."""
        return f"python -m benchmarks.{self.name}"


def run(
    benchmark: Benchmark,
    measure: Measure,
    arguments: Sequence[str] | None = None,
    *,
    add_options: AddOptions | None = None,
) -> int:
    """Parse the command line, measure, print, save; returns the exit status, 0 also where it was skipped."""
    options = parse(benchmark.program, arguments, add_options)
    report = Report(options)
    start = time.perf_counter()
    skipped: str | None = None
    try:
        with _warnings_only():
            measure(report)
    except CannotMeasureError as reason:
        skipped = str(reason)
    summary = _summary(benchmark.name, report, skipped, time.perf_counter() - start)
    report.end(skipped, console())
    emit(summary, options, benchmark.name)
    return 0


@contextmanager
def _warnings_only() -> Iterator[None]:
    """Leaves the terminal to progress and tables."""
    # wordllama would have everything logged from INFO on, unless that is decided before it is imported.
    logging.basicConfig(level=logging.WARNING)
    configuration = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    try:
        yield
    finally:
        structlog.configure(**configuration)


def _summary(name: str, report: Report, skipped: str | None, seconds: float) -> dict[str, Any]:
    return {
        "benchmark": name,
        "command": report.options.command,
        "quick": report.options.quick,
        "seeds": report.options.seeds,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 2),
        "machine": asdict(machine()),
        "skipped": skipped,
        "rivals_skipped": report.rivals_skipped,
        "figures": report.figures,
        "tables": [asdict(table) for table in report.tables],
    }
