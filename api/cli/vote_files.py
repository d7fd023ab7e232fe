"""Estimates by files of votes, for `credence estimate`."""

import glob
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from api.cli.environment import Environment
from api.cli.options import Engine, VoteFiles
from api.cli.output import bar, print_json, say, table
from api.cli.progress import progress
from api.cli.reports.estimation import BAR_WIDTH, interval
from api.text import plural
from estimator.distributed import Progress as Report
from estimator.distributed import SourceEstimates, Stage, estimate_files
from estimator.distributed.ray_workers import RayWorkers
from estimator.distributed.values import arrow
from estimator.methods import Options
from registry.estimations.schemas import FILE_PARAMETERS, EstimationParameters
from registry.platform.errors import InvalidInput

GIB: Final = 1 << 30
MOST_ROWS: Final = 50
"""Sources of a table on the screen; a file holds all."""
_COLUMNS: Final = ("source", "reliability", "lower", "upper", "weight", "vote_count", "group", "systematic")


def estimate(env: Environment, patterns: list[str], parameters: EstimationParameters, choice: VoteFiles) -> None:
    """Estimate by the files, and write and print what comes of it. Raises InvalidInput for options of corpora."""
    paths = [path for pattern in patterns for path in _vote_files(pattern)]
    defaults = EstimationParameters(paper=parameters.paper).model_dump()
    unknown = {name for name, value in parameters.model_dump().items() if value != defaults[name]} - FILE_PARAMETERS
    if unknown:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(unknown))
        raise InvalidInput(f"Estimates by files of votes look at nothing but votes: leave out {options}.")
    for path in filter(None, (choice.output, choice.answers)):
        _require_target(path, paths)
    with vote_file_progress(env.err, len(paths)) as report:
        result = estimate_files(
            paths,
            parameters.method.value,
            workers=partial(RayWorkers, count=choice.workers) if choice.engine is Engine.RAY else None,
            memory=int(choice.memory * GIB),
            options=Options(
                labels=parameters.label_count,
                ties=parameters.ties,
                negative_weights=parameters.negative_weights,
                max_rounds=parameters.max_rounds,
            ),
            progress=report,
            answers=None if choice.answers is None else str(choice.answers),
        )
    rows, fit = _source_rows(result), result.fit
    if choice.output is not None:
        columns = {name: [row[name] for row in rows] for name in _COLUMNS}
        try:
            arrow("pyarrow.parquet").write_table(arrow().table(columns), choice.output)
        except OSError as error:
            raise InvalidInput(f"{choice.output} cannot be written: {error.strerror}.") from error
    if env.as_json:
        ended = {"method": fit.method, "rounds": fit.rounds, "stop_reason": fit.stop_reason}
        print_json({**ended, **result.totals, "reason": result.reason or None, "sources": rows})
    else:
        _print_sources(env.out, result, rows)
        if choice.answers is not None:
            say(env.out, f"The answers are in {choice.answers}.")


def _vote_files(pattern: str) -> list[str]:
    """The files that a path, a folder or a pattern stands for. Raises InvalidInput where there is none."""
    if "://" in pattern or Path(pattern).is_file():
        return [pattern]
    every = str(Path(glob.escape(pattern), "*.parquet")) if Path(pattern).is_dir() else pattern
    found = sorted(glob.glob(every, recursive=True))  # noqa: PTH207 - the pattern may be absolute
    if not found:
        raise InvalidInput(f"There is no file {every}.")
    return found


def _require_target(path: Path, votes: Sequence[str]) -> None:
    """Raise InvalidInput for a file that cannot be written: of another suffix, in no folder, or one of votes."""
    if path.suffix != ".parquet":
        raise InvalidInput(f"{path.name} has no known format; name it *.parquet.")
    if not path.parent.is_dir():
        raise InvalidInput(f"There is no folder {str(path.parent)!r} to write {path.name} into.")
    if path.resolve() in {Path(other).resolve() for other in votes}:
        raise InvalidInput(f"{path} holds votes; name another file to write.")


def _source_rows(result: SourceEstimates) -> list[dict[str, Any]]:
    """One row for every source, the most reliable first."""
    fit = result.fit
    numbers = fit.reliability, fit.lower, fit.upper, fit.weight, result.vote_count, result.groups
    systematic = [None] * len(result.sources) if result.systematic is None else result.systematic.tolist()
    columns = zip(result.sources, *(column.tolist() for column in numbers), systematic, strict=True)
    return sorted((dict(zip(_COLUMNS, row, strict=True)) for row in columns), key=lambda row: -row["reliability"])


def _print_sources(console: Console, result: SourceEstimates, rows: Sequence[dict[str, Any]]) -> None:
    """A table of the sources, and what was done in a sentence."""
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
    say(console, "\n".join(filter(None, (line, result.reason))))


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
