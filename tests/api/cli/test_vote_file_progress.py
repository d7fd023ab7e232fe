"""How far an estimate by files of votes is."""

from io import StringIO

from rich.console import Console

from api.cli.reports.vote_files import vote_file_progress
from estimator.distributed import Stage


def test_a_bar_of_files_is_followed_by_rounds() -> None:
    printed = StringIO()
    console = Console(file=printed, force_terminal=True, width=80)
    with vote_file_progress(console, files=2) as progress:
        progress(Stage.READING, 1)
        console.print("in the middle")
        progress(Stage.READING, 2)
        progress(Stage.ROUNDS, 1)
    before, after = printed.getvalue().split("in the middle")
    assert "Rounds" not in before
    assert after.rindex("Reading") < after.rindex("Rounds")
