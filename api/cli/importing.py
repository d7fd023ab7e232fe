"""An import at a terminal: a progress bar, every rejected line with its reason, and how many of what."""

from collections import Counter
from collections.abc import AsyncIterator, Callable

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from api.cli.feed import Feed, FileFormat, check_files
from api.cli.output import clean, print_json
from api.cli.terminal import Terminal
from api.http.schemas.imports import LineView
from registry.models import Corpus
from registry.results.ingest import LineResult
from registry.runtime import Runtime

Importer = Callable[[Runtime, Corpus, AsyncIterator[bytes]], AsyncIterator[LineResult]]
STATUSES = ("created", "updated", "unchanged", "rejected")


class FileLine(LineView):
    """What became of one line, and the file it stands in."""

    file: str


def import_files(
    terminal: Terminal, corpus: str, names: list[str], forced: FileFormat | None, importer: Importer, *, as_json: bool
) -> None:
    """Import the files; ends the command with status 1 if a line was rejected or a file could not be read."""
    total = check_files(names, forced)
    feed = Feed(names, forced, terminal.load_settings().max_document_characters)

    async def work(runtime: Runtime, owner: Corpus) -> Counter[str]:
        with _progress(terminal, total) as progress:
            task = progress.add_task("", total=total or None, lines=0)
            feed.advance = lambda count: progress.advance(task, count)
            counts: Counter[str] = Counter()
            async for result in importer(runtime, owner, feed.lines()):
                counts[result.status] += 1
                progress.update(task, lines=sum(counts.values()))
                _report(feed, result, progress, as_json=as_json)
            return counts

    counts = terminal.with_runtime(corpus, work)
    for problem in feed.problems:
        terminal.err.print(
            Text.assemble(("Not read  ", "red"), clean(f"{problem.name}: {problem.why}")), soft_wrap=True
        )
    if not as_json:
        terminal.out.print(", ".join(f"{counts[status]:,} {status}" for status in STATUSES) + ".")
    if counts["rejected"] or feed.problems:
        raise typer.Exit(1)


def _report(feed: Feed, result: LineResult, progress: Progress, *, as_json: bool) -> None:
    name, line = feed.origin(result.line)
    if as_json:
        view = LineView.model_validate(result)
        print_json(FileLine(**view.model_dump() | {"line": line}, file=name))
    elif result.status == "rejected":
        who = f" {result.external_id}" if result.external_id else ""
        reason = clean(f"{name}:{line}{who}: {result.error}")
        progress.console.print(Text.assemble(("Rejected  ", "red"), reason), soft_wrap=True)


def _progress(terminal: Terminal, total: int) -> Progress:
    known = (BarColumn(bar_width=24), DownloadColumn(), TaskProgressColumn(), TimeRemainingColumn(compact=True))
    return Progress(
        TextColumn("{task.fields[lines]:,} lines"), *(known if total else ()), console=terminal.err, transient=True
    )
