"""Lines of progress where no terminal shows a bar."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rich.console import Console

REPORT_SECONDS = 10.0


@contextmanager
def progress_lines(console: Console, began: str, *, seconds: float = REPORT_SECONDS) -> Iterator[Callable[[str], None]]:
    """Prints the state of the work in the block every so many seconds, unless the console is a terminal.

    The state is the line that the yielded function was last called with, `began` before that. A thread prints, so that
    the work may be a computation as well as a coroutine.
    """
    state, start, ended = began, time.monotonic(), Event()

    def update(line: str) -> None:
        nonlocal state
        state = line

    def report() -> None:
        while not console.is_terminal and not ended.wait(seconds):
            console.print(f"{time.monotonic() - start:,.0f} s: {state}", soft_wrap=True)

    reporting = Thread(target=report, daemon=True)
    reporting.start()
    try:
        yield update
    finally:
        ended.set()
        reporting.join()
