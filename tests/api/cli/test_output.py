"""Text, bars and numbers as they are printed, and the progress of long work."""

import asyncio
from io import StringIO

from hypothesis import given, strategies
from rich.console import Console

from api.cli.output import bar, number
from api.cli.progress import progress
from api.cli.vote_files import vote_file_progress
from api.text import clean
from estimator.distributed import Stage
from tests.eventually import eventually
from tests.tables import for_each


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


@given(strategies.text())
def test_clean_text_prints_without_steering(text: str) -> None:
    shown = clean(text)
    assert len(shown) == len(text)
    shown.encode()
    assert not any(
        (ord(character) < 32 and character not in "\n\t") or 127 <= ord(character) < 160 for character in shown
    )


@for_each(
    ("share", "drawn"),
    [(0.0, "    "), (1.0, "████"), (0.5, "██  "), (0.25, "█   "), (0.28, "█▏  "), (7.0, "████"), (None, "····")],
)
def test_a_bar_is_as_long_as_its_share(share: float | None, drawn: str) -> None:
    assert bar(share, width=4).plain == drawn


def test_numbers_and_their_absence() -> None:
    assert number(0.125, 1).plain == "0.1"
    assert number(None).plain == "-"
    console = Console(record=True, width=20)
    console.print(number(1))
    assert console.export_text() == "1.00\n"
