"""Reliabilities by files of votes, for a person and as a file."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_json
from rich.console import Console
from rich.text import Text

from api.cli.output import bar, table
from api.cli.progress import progress
from api.cli.reports.estimation import BAR_WIDTH, interval
from api.text import clean, csv_cell, plural
from estimator.distributed import Progress as Report
from estimator.distributed import SourceEstimates, Stage
from estimator.distributed.values import arrow
from registry.platform.errors import InvalidInput

MOST_ROWS: Final = 50
"""Sources of a table on the screen; a file holds all."""

SOURCE_SUFFIXES: Final = (".parquet", ".csv", ".jsonl")
_COLUMNS: Final = ("source", "reliability", "lower", "upper", "weight", "vote_count", "group", "systematic")


def source_rows(result: SourceEstimates) -> list[dict[str, Any]]:
    """One row for every source, the most reliable first."""
    fit = result.fit
    numbers = fit.reliability, fit.lower, fit.upper, fit.weight, result.vote_count, result.groups
    systematic = [None] * len(result.sources) if result.systematic is None else result.systematic.tolist()
    columns = zip(result.sources, *(column.tolist() for column in numbers), systematic, strict=True)
    return sorted((dict(zip(_COLUMNS, row, strict=True)) for row in columns), key=lambda row: -row["reliability"])


def summary(result: SourceEstimates) -> dict[str, Any]:
    """The result and its files in a sentence."""
    fit = result.fit
    return {
        "method": fit.method,
        "rounds": fit.rounds,
        "stop_reason": fit.stop_reason,
        **result.totals,
        "reason": result.reason or None,
    }


def print_sources(console: Console, result: SourceEstimates) -> None:
    """A table of the sources, and what was done in a sentence."""
    rows = source_rows(result)
    shown = table(
        rows[:MOST_ROWS],
        {
            "source": lambda row: row["source"],
            "": lambda row: bar(row["reliability"], width=BAR_WIDTH),
            "reliability": lambda row: row["reliability"],
            "90 %": lambda row: interval(row["lower"], row["upper"]),
            "votes": lambda row: row["vote_count"],
        },
        fixed=("source",),
    )
    console.print(shown)
    totals, fit = result.totals, result.fit
    rest = f"{plural(len(rows) - MOST_ROWS, 'more source')} not shown. " if len(rows) > MOST_ROWS else ""
    line = (
        f"{rest}{plural(totals['votes'], 'vote')} of {plural(len(rows), 'source')} on "
        f"{plural(totals['queries'], 'query', 'queries')}; {fit.method} ended after {plural(fit.rounds, 'round')} "
        f"({fit.stop_reason})."
    )
    console.print(Text("\n".join(filter(None, (line, clean(result.reason))))), soft_wrap=True)


def write_sources(result: SourceEstimates, path: Path) -> None:
    """Write all sources to a Parquet, CSV or JSON Lines file. Raises InvalidInput where it cannot be written."""
    rows = source_rows(result)
    try:
        if path.suffix == ".parquet":
            columns = {name: [row[name] for row in rows] for name in _COLUMNS}
            arrow("pyarrow.parquet").write_table(arrow().table(columns), path)
        elif path.suffix == ".csv":
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(_COLUMNS)
                writer.writerows(map(csv_cell, row.values()) for row in rows)
        else:
            path.write_bytes(b"".join(to_json(row) + b"\n" for row in rows))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def require_target(path: Path, suffixes: Sequence[str], votes: Sequence[str]) -> None:
    """Raise InvalidInput for a file that cannot be written: of another suffix, in no folder, or one of votes."""
    if path.suffix not in suffixes:
        raise InvalidInput(
            f"{path.name} has no known format; name it {' or '.join(f'*{suffix}' for suffix in suffixes)}."
        )
    if not path.parent.is_dir():
        raise InvalidInput(f"There is no folder {str(path.parent)!r} to write {path.name} into.")
    if path.resolve() in {Path(other).resolve() for other in votes}:
        raise InvalidInput(f"{path} holds votes; name another file to write.")


@contextmanager
def vote_file_progress(console: Console, files: int) -> Iterator[Report]:
    """The callback to which `estimate_files` reports the files that are done, and the rounds."""
    with progress(console, "no file is read yet.") as update:

        def show(stage: Stage, done: int) -> None:
            if stage is Stage.ROUNDS:
                update(stage.capitalize(), done, None, "", f"{plural(done, 'round')} done.")
            else:
                update(stage.capitalize(), done, files, "files", f"{stage} {done} of {files} files.")

        yield show
