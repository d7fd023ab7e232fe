"""Run every benchmark in a process of its own: `python -m benchmarks`, with the options that all of them share.

Reports which were skipped and why, and exits with 1 if one failed or exceeded its time.
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

from benchmarks.catalogue import BENCHMARKS
from benchmarks.harness import Benchmark, Options, console, dumps, machine, parse

QUICK_LIMIT = 180.0  # seconds; the quick forms take up to 50 on an idle machine
FULL_LIMIT = 7200.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one benchmark ended: its JSON object, or why there is none."""

    name: str
    summary: dict[str, Any] | None
    failure: str | None

    @property
    def status(self) -> str:
        """One line for the closing table."""
        if self.summary is None:
            return f"FAILED: {self.failure}"
        return f"skipped: {self.summary['skipped']}" if self.summary["skipped"] else "measured"

    @property
    def missing_rivals(self) -> str:
        """Rivals that were not measured, with reasons."""
        rivals = {} if self.summary is None else self.summary["rivals_skipped"]
        return "; ".join(f"{name}: {reason}" for name, reason in rivals.items())


def execute(benchmark: Benchmark, options: Options) -> Outcome:
    """Run one benchmark in a process of its own; its tables go straight to the terminal."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{benchmark.name}.json"
        command = [sys.executable, *benchmark.program.split()[1:], *_arguments(options, path)]
        try:
            status = subprocess.run(
                command, check=False, timeout=QUICK_LIMIT if options.quick else FULL_LIMIT
            ).returncode
        except subprocess.TimeoutExpired as late:
            return Outcome(benchmark.name, None, f"not done after {late.timeout:.0f} s")
        if status != 0 or not path.exists():
            return Outcome(benchmark.name, None, f"exit status {status}, see its output above")
        text = path.read_text(encoding="utf-8")
    summary = json.loads(text)
    if options.save is not None and summary["skipped"] is None:
        (options.save / f"{benchmark.name}.json").write_text(text, encoding="utf-8")
    return Outcome(benchmark.name, summary, None)


def _arguments(options: Options, path: Path) -> list[str]:
    arguments = ["--save", str(path), "--seeds", str(options.seeds), "--data", str(options.data)]
    return ["--quick", *arguments] if options.quick else arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all, print the closing table; the exit status is 1 if one failed."""
    options = parse("python -m benchmarks", arguments)
    screen = console()
    outcomes = []
    for benchmark in BENCHMARKS:
        screen.rule(benchmark.name)
        outcomes.append(execute(benchmark, options))
    table = Table("benchmark", "outcome", "seconds", "rivals not measured")
    for outcome in outcomes:
        seconds = "" if outcome.summary is None else str(outcome.summary["seconds"])
        table.add_row(outcome.name, escape(outcome.status), seconds, escape(outcome.missing_rivals))
    screen.rule("all benchmarks")
    screen.print(table)
    if options.json:
        summary = {
            "machine": str(machine()),
            "failed": {outcome.name: outcome.failure for outcome in outcomes if outcome.summary is None},
            "benchmarks": [outcome.summary for outcome in outcomes if outcome.summary is not None],
        }
        print(dumps(summary), flush=True)
    return int(any(outcome.summary is None for outcome in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())
