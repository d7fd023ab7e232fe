"""Lines of progress without a terminal."""

import asyncio
from io import StringIO

from rich.console import Console

from api.cli.progress_lines import progress_lines
from tests.eventually import eventually


async def test_the_newest_state_is_printed_again_and_again() -> None:
    printed = StringIO()
    with progress_lines(Console(file=printed), "begun.", seconds=0.01) as update:
        await eventually(lambda: printed.getvalue().count("s: begun.") >= 2)
        update("half of it is done.")
        await eventually(lambda: "s: half of it is done." in printed.getvalue())
    ended = printed.getvalue()
    await asyncio.sleep(0.05)
    assert printed.getvalue() == ended


async def test_a_terminal_has_its_bar_and_no_lines() -> None:
    printed = StringIO()
    with progress_lines(Console(file=printed, force_terminal=True), "begun.", seconds=0.01):
        await asyncio.sleep(0.05)
    assert printed.getvalue() == ""
