"""What all benchmarks share: command line, machine, timing, statistics, tables, headlines and the saved JSON object.

A benchmark is a module or package `benchmarks/NAME` with a description and a function that measures:

    BENCHMARK = Benchmark("NAME", "what it measures", page="NAME", headlines=(
        Headline("seconds of a search", "search_seconds", rivals={"rival": "rival_seconds"}, aim=0.1,
                 higher_is_better=False),
    ))

    def measure(report: Report) -> None:
        books = report.folder("truth_book")  # skips the benchmark where the data set is absent
        times = time_in_turn({"ours": search, "rival": rival_search}, repeats=5)
        report.table("Speed", ["method", "median"], [[name, f"{t.median:.3f} s"] for name, t in times.items()])
        report.figure("search_seconds", times["ours"].median)
        report.figure("rival_seconds", times["rival"].median)

    if __name__ == "__main__":
        raise SystemExit(run(BENCHMARK, measure))

A package defines `BENCHMARK` in `__init__.py` and `measure` in `__main__.py`; `benchmarks/catalogue.py` lists them all.
Every benchmark takes `--quick` (a small form, under 50 seconds), `--json` (one object on the last line of standard
output), `--save` (the same object as a file), `--seeds` and `--data`. A benchmark that cannot run here raises
`CannotMeasureError` with the reason and is skipped; every other exception is a failure.
"""

from benchmarks.harness.benchmark import Benchmark, Headline, run
from benchmarks.harness.machine import Machine, machine
from benchmarks.harness.options import RESULTS, Options, parse
from benchmarks.harness.report import CannotMeasureError, Cell, Report, console, dumps, progress
from benchmarks.harness.statistics import BootstrapMean, Interval, bootstrap_mean, interval
from benchmarks.harness.timing import Timing, time_in_turn, time_of

__all__ = [
    "RESULTS",
    "Benchmark",
    "BootstrapMean",
    "CannotMeasureError",
    "Cell",
    "Headline",
    "Interval",
    "Machine",
    "Options",
    "Report",
    "Timing",
    "bootstrap_mean",
    "console",
    "dumps",
    "interval",
    "machine",
    "parse",
    "progress",
    "run",
    "time_in_turn",
    "time_of",
]
