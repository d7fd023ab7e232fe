"""An import of files with a progress bar, a line for every rejected line, and the counts at the end."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from api.cli.connection import Service
from api.cli.environment import Environment
from api.cli.input_files import ALL_COLUMNS, Columns, FileFormat, FileLines, check_files
from api.cli.output import print_json, say
from api.client.call import Call
from registry.documents.schemas import LineResult
from registry.queries.lines import Converter

STATUSES = ("created", "updated", "unchanged", "rejected")


class FileLineView(LineResult):
    """The result of one line, and the file it stands in."""

    file: str


def import_files(
    env: Environment,
    names: list[str],
    forced: FileFormat | None,
    call_of: Callable[[Service], Call[LineResult]],
    columns: Columns = ALL_COLUMNS,
    converter: Callable[[str], Converter] | None = None,
) -> None:
    """Import the files; ends the command with status 1 if a line was rejected or a file could not be read."""
    total = check_files(names, forced)
    lines = FileLines(names, forced, columns, converter)

    counts: Counter[str] = Counter()
    with env.service() as service, _progress(env, total) as progress:
        task = progress.add_task("", total=total or None, count=0)
        lines.advance = lambda count: progress.advance(task, count)
        for result in service.results(replace(call_of(service), content=lines.read())):
            counts[result.status] += 1
            progress.update(task, count=sum(counts.values()))
            _report(lines, result, progress, as_json=env.as_json)
    for name, reason in lines.problems:
        say(env.err, ("Not read  ", "red"), f"{name}: {reason}")
    if not env.as_json:
        env.out.print(", ".join(f"{counts[status]:,} {status}" for status in STATUSES) + ".")
    if counts["rejected"] or lines.problems:
        raise typer.Exit(1)


def _report(lines: FileLines, result: LineResult, progress: Progress, *, as_json: bool) -> None:
    name, line = lines.origin(result.line)
    if as_json:
        print_json(FileLineView(**result.model_dump() | {"line": line}, file=name))
    elif result.status == "rejected":
        external_id = f" {result.external_id}" if result.external_id else ""
        say(progress.console, ("Rejected  ", "red"), f"{name}:{line}{external_id}: {result.error}")
    else:
        for each in result.contradictions or ():
            said = f"“{each.quote}” against “{each.other_quote}”"
            say(progress.console, ("Contradicts  ", "yellow"), f"{name}:{line} {result.external_id}: {said}")


def _progress(env: Environment, total: int) -> Progress:
    with_total = (BarColumn(bar_width=24), DownloadColumn(), TaskProgressColumn(), TimeRemainingColumn(compact=True))
    return Progress(
        TextColumn("{task.fields[count]:,} lines"), *(with_total if total else ()), console=env.err, transient=True
    )
