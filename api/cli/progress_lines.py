"""Lines of progress where no terminal shows a bar."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from rich.console import Console

REPORT_SECONDS = 10.0


@asynccontextmanager
async def progress_lines(
    console: Console, began: str, *, seconds: float = REPORT_SECONDS
) -> AsyncIterator[Callable[[str], None]]:
    """Prints the state of the work in the block every so many seconds, unless the console is a terminal.

    The state is the line that the yielded function was last called with, `began` before that.
    """
    state, start = began, time.monotonic()

    def update(line: str) -> None:
        nonlocal state
        state = line

    async def report() -> None:
        while not console.is_terminal:
            await asyncio.sleep(seconds)
            console.print(f"{time.monotonic() - start:,.0f} s: {state}", soft_wrap=True)

    reporting = asyncio.create_task(report())
    try:
        yield update
    finally:
        reporting.cancel()
