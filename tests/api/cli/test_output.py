"""Text, bars and numbers as they are printed."""

from hypothesis import given, strategies
from rich.console import Console

from api.cli.output import bar, number
from api.text import clean
from tests.tables import for_each


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
