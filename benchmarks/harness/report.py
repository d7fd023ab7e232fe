"""What one benchmark measured: tables for a person, figures for a program, rivals that were missing."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from benchmarks.harness.machine import machine
from benchmarks.harness.options import Options
from estimator.errors import CredenceError

Cell = str | int | float | None


class CannotMeasureError(CredenceError):
    """This benchmark cannot run here; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a report; cells are printed as they are, so format numbers first."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(slots=True)
class Report:
    """The tables and figures measured so far."""

    options: Options
    tables: list[Table] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    rivals_skipped: dict[str, str] = field(default_factory=dict)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Add a table, and print it: what a long run that is cut off has measured is seen."""
        table = Table(title, tuple(columns), tuple(tuple(row) for row in rows))
        self.tables.append(table)
        _show(table, console())

    def figure(self, name: str, value: float) -> None:
        """Add a number that programs compare from run to run."""
        self.figures[name] = value

    def rival_skipped(self, name: str, reason: str) -> None:
        """Record why a rival was not measured."""
        self.rivals_skipped[name] = reason

    def folder(self, name: str) -> Path:
        """The data set `name` below `--data`. Raises `CannotMeasureError` where it is absent."""
        path = self.options.data / name
        if not path.is_dir():
            message = f"no data set {name!r}; name the folder of data sets with --data"
            raise CannotMeasureError(message)
        return path

    def end(self, skipped: str | None, screen: Console) -> None:
        """Print what the tables do not say."""
        for name, reason in self.rivals_skipped.items():
            screen.print(f"{name} was not measured: {reason}", markup=False)
        if skipped is not None:
            screen.print(f"skipped: {skipped}", markup=False)
        screen.print(str(machine()), markup=False, highlight=False)


def _show(table: Table, screen: Console) -> None:
    screen.print(f"\n{table.title}", markup=False, highlight=False)
    printed = RichTable(*map(escape, table.columns))
    for row in table.rows:
        printed.add_row(*("" if cell is None else escape(str(cell)) for cell in row))
    screen.print(printed)


def console() -> Console:
    """Standard output: a terminal in its own width, a file in a width that cuts no table."""
    return Console() if sys.stdout.isatty() else Console(width=140)


def progress(text: str) -> None:
    """Say how far a long benchmark is, beside its report."""
    print(text, file=sys.stderr, flush=True)


def emit(summary: Mapping[str, Any], options: Options, name: str) -> None:
    """Save and print the JSON object as the options ask; what was skipped is not saved over earlier results."""
    if options.save is not None and not (options.save.is_dir() and summary["skipped"]):
        path = options.save / f"{name}.json" if options.save.is_dir() else options.save
        path.write_text(dumps(summary, indent=1) + "\n", encoding="utf-8")
    if options.json:
        print(dumps(summary), flush=True)


def dumps(value: object, indent: int | None = None) -> str:
    """JSON in which a number that is not finite is null."""
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent)


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
