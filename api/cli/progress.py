"""The progress of long work: a bar at a terminal, lines elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api.cli.output import say

REPORT_SECONDS = 10.0


class Update(Protocol):
    """Says how far the work is: what is done now, how much of it, of how much if that is known, and a line on it."""

    def __call__(self, what: str, done: int, total: int | None, unit: str, line: str) -> None: ...


@contextmanager
def progress(console: Console, began: str, *, seconds: float = REPORT_SECONDS) -> Iterator[Update]:
    """Shows how far the work in the block is: as a bar, or every so many seconds as a line, `began` at first.

    A thread prints the lines, so that the work may be a computation as well as a coroutine.
    """
    columns = (
        *(TextColumn("{task.description}"), BarColumn(bar_width=24), MofNCompleteColumn()),
        *(TextColumn("{task.fields[unit]}"), TimeRemainingColumn(compact=True)),
    )
    state, start, ended = began, time.monotonic(), Event()

    def report() -> None:
        while not console.is_terminal and not ended.wait(seconds):
            say(console, f"{time.monotonic() - start:,.0f} s: {state}")

    reporting = Thread(target=report, daemon=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, unit="")

        def update(what: str, done: int, total: int | None, unit: str, line: str) -> None:
            nonlocal state
            state = line
            is_new = what != bar.tasks[0].description
            bar.update(task, description=what, completed=done, total=total, unit=unit, refresh=is_new)

        reporting.start()
        try:
            yield update
        finally:
            ended.set()
            reporting.join()
