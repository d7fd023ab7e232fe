"""Which line breaks end a headline or a row, and which only wrap a sentence."""

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from answering.text.lines import line_at, line_ends
from tests.tables import for_each

TEXT = (
    "The bridge over the Marn was opened on 4 May 1931 by the engineer Ida Kolb. It is 212 metres long and carries two "
    "tracks of the coast railway. Otto Brandt, the mayor of Port Lind, had asked for it since 1920, and the Marn "
    "Valley Bank paid for most of it."
)


@for_each(
    ("text", "ended"),
    [
        ("Notes of the Evening Post\nMinger was the first.", ["Notes of the Evening Post"]),
        (f"Notes of the Evening Post\n{TEXT}", ["Notes of the Evening Post"]),
        (f"Notes of the Evening Post\n{textwrap.fill(TEXT, 60)}", ["Notes of the Evening Post"]),
        (f"Notes of the Evening Post\r\n\r\n{TEXT}", ["Notes of the Evening Post"]),
        (f"  Evening Post  \n \n\n{TEXT}\n", ["Evening Post"]),
        ("it ended here\n\nminger was the first", ["it ended here"]),
        ("Norway 1\nSweden 2\nDenmark 3", ["Norway 1", "Sweden 2"]),
        ("Anna\u2028Otto", ["Anna"]),
        (f"{textwrap.fill(TEXT, 60)}\n\nNotes\n{textwrap.fill(TEXT, 60)}", ["most of it.", "Notes"]),
        ("It was opened by the engineer\nand mayor.", []),
        ("", []),
        (" \n\n ", []),
        ("\nAnna\n", []),
    ],
)
def test_lines_that_end_on_purpose(text: str, ended: list[str]) -> None:
    ends = line_ends(text)
    assert len(ends) == len(ended)
    assert all(text[:end].endswith(line) for end, line in zip(ends, ended, strict=True))


@given(width=st.integers(45, 100))
def test_wrapped_sentences_go_on(width: int) -> None:
    assert line_ends(textwrap.fill(TEXT, width)) == ()


@given(st.text(alphabet="aA .\n\r\u2028", max_size=60), st.integers(0, 60))
def test_a_line_holds_its_characters(text: str, at: int) -> None:
    start, end = line_at(text, at)
    assert start <= min(at, len(text))
    assert end >= min(at, len(text))
    assert list(line_ends(text)) == sorted(set(line_ends(text)))
