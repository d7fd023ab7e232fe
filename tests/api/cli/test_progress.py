"""The progress of long work."""

import asyncio
from io import StringIO

from rich.console import Console

from api.cli.progress import progress
from api.cli.vote_files import vote_file_progress
from estimator.distributed import Stage
from tests.eventually import eventually


async def test_the_newest_state_is_printed_again_and_again() -> None:
    printed = StringIO()
    with progress(Console(file=printed), "begun.", seconds=0.01) as update:
        await eventually(lambda: printed.getvalue().count("s: begun.") >= 2)
        update("Reading", 1, 2, "queries", "half of it is done.")
        await eventually(lambda: "s: half of it is done." in printed.getvalue())
    ended = printed.getvalue()
    await asyncio.sleep(0.05)
    assert printed.getvalue() == ended


async def test_a_terminal_has_its_bar_and_no_lines() -> None:
    printed = StringIO()
    with progress(Console(file=printed, force_terminal=True), "begun.", seconds=0.01):
        await asyncio.sleep(0.05)
    assert "begun." not in printed.getvalue()


def test_a_bar_of_files_is_followed_by_rounds() -> None:
    printed = StringIO()
    console = Console(file=printed, force_terminal=True, width=80)
    with vote_file_progress(console, files=2) as show:
        show(Stage.READING, 1)
        console.print("in the middle")
        show(Stage.READING, 2)
        show(Stage.ROUNDS, 1)
    before, after = printed.getvalue().split("in the middle")
    assert ("Reading" in before, "Rounds" in before, "Rounds" in after) == (True, False, True)
