"""Run every benchmark, each in its own process: `python -m benchmarks`, with the options of one benchmark.

Says which were skipped and why, and exits with 1 if one failed or hung.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from benchmarks.harness import Options, console, emit, machine, parse

BENCHMARKS = ("estimator", "copies", "questions", "ingest", "memory", "partitions", "reader", "judge", "classes",
              "conflict", "multisource", "debate")  # fmt: skip

QUICK_LIMIT = 180.0  # seconds; a quick benchmark is promised in 50, this is for a busy machine
FULL_LIMIT = 7200.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one benchmark ended: its JSON object, or why there is none."""

    name: str
    summary: dict[str, Any] | None
    failure: str | None

    @property
    def verdict(self) -> str:
        """One line for the closing table."""
        if self.summary is None:
            return f"FAILED: {self.failure}"
        return f"skipped: {self.summary['skipped']}" if self.summary["skipped"] else "measured"

    @property
    def missing_rivals(self) -> str:
        """Rivals that were not measured beside ours, with reasons."""
        rivals = {} if self.summary is None else self.summary["rivals_skipped"]
        return "; ".join(f"{name}: {reason}" for name, reason in rivals.items())


def execute(name: str, options: Options) -> Outcome:
    """Run one benchmark in a process of its own, its tables going straight to the terminal."""
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "summary.json"
        command = [sys.executable, "-m", f"benchmarks.{name}", *_arguments(options, saved)]
        try:
            status = subprocess.run(
                command, check=False, timeout=QUICK_LIMIT if options.quick else FULL_LIMIT
            ).returncode
        except subprocess.TimeoutExpired as late:
            return Outcome(name, None, f"not done after {late.timeout:.0f} s")
        if status != 0 or not saved.exists():
            return Outcome(name, None, f"exit status {status}, see its output above")
        return Outcome(name, json.loads(saved.read_text(encoding="utf-8")), None)


def _arguments(options: Options, saved: Path) -> list[str]:
    common = ["--save", str(saved), "--seeds", str(options.seeds), "--data", str(options.data)]
    return ["--quick", *common] if options.quick else common


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all, print the closing table, and tell by the exit status whether one failed."""
    options = parse("python -m benchmarks", arguments)
    screen = console()
    outcomes = []
    for name in BENCHMARKS:
        screen.rule(name)
        outcomes.append(execute(name, options))
    table = Table("benchmark", "outcome", "seconds", "rivals not measured")
    for outcome in outcomes:
        seconds = "" if outcome.summary is None else str(outcome.summary["seconds"])
        table.add_row(outcome.name, escape(outcome.verdict), seconds, escape(outcome.missing_rivals))
    screen.rule("all benchmarks")
    screen.print(table)
    emit(
        {
            "machine": str(machine()),
            "failed": {outcome.name: outcome.failure for outcome in outcomes if outcome.summary is None},
            "benchmarks": [outcome.summary for outcome in outcomes if outcome.summary is not None],
        },
        options,
    )
    return int(any(outcome.summary is None for outcome in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())
