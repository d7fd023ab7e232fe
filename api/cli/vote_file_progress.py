"""The progress of an estimate by files of votes: a bar, or lines if there is no terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from api.cli.progress_lines import progress_lines
from api.text import plural
from estimator.distributed import Progress as Report
from estimator.distributed import Stage


@contextmanager
def vote_file_progress(console: Console, files: int) -> Iterator[Report]:
    """The callback to which `estimate_files` reports the files that are done, and the rounds."""
    columns = TextColumn("{task.description}"), BarColumn(bar_width=24), MofNCompleteColumn(), TimeRemainingColumn()
    tasks: dict[Stage, TaskID] = {}
    with (
        Progress(*columns, console=console, transient=True) as progress,
        progress_lines(console, "no file is read yet.") as update,
    ):

        def show(stage: Stage, done: int) -> None:
            if stage not in tasks:
                for task in tasks.values():
                    progress.update(task, visible=False)
                tasks[stage] = progress.add_task(stage.capitalize(), total=None if stage is Stage.ROUNDS else files)
            progress.update(tasks[stage], completed=done)
            update(f"{plural(done, 'round')} done." if stage is Stage.ROUNDS else f"{stage} {done} of {files} files.")

        yield show
