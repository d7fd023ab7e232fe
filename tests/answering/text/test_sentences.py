"""Sentence boundaries, line breaks that end a headline or a row, and the language of a text."""

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from answering.text.language import language_of, may_be_english
from answering.text.sentences import line_at, line_ends, sentence_spans, sentences
from tests.tables import for_each

PASSAGE = "The hall was opened by Mrs. L. Dahl in 1911. It burnt down twice!\nNobody was hurt. 36 men rebuilt it."


def test_abbreviations_and_initials_end_no_sentence() -> None:
    assert sentences(PASSAGE) == [
        "The hall was opened by Mrs. L. Dahl in 1911.",
        "It burnt down twice!",
        "Nobody was hurt.",
        "36 men rebuilt it.",
    ]


@for_each(
    ("passage", "texts"),
    [
        ("Opened: 1911\nArchitect: L. Dahl\n\nCost: 40,000", ["Opened: 1911", "Architect: L. Dahl", "Cost: 40,000"]),
        ("It is 36 m high \r\n 12 m wide", ["It is 36 m high", "12 m wide"]),
        ("- red\n- green\n", ["- red", "- green"]),
        ("One\u2028Two\rThree", ["One", "Two", "Three"]),
        ("The colours:\nred\n\nblue", ["The colours:", "red", "blue"]),
        ("It burnt down. \n It was rebuilt", ["It burnt down.", "It was rebuilt"]),
        ("The hall was opened\nin 1911.\nIt stands.", ["The hall was opened\nin 1911.", "It stands."]),
    ],
)
def test_a_line_ends_a_sentence_unless_the_next_one_goes_on_in_small_letters(passage: str, texts: list[str]) -> None:
    assert sentences(passage) == texts


def test_much_white_space_costs_no_more_than_its_length() -> None:
    """Quadratic time would exceed the limit of every test."""
    passage = f"One{' ' * 200_000}two{' ' * 200_000}\nThree"
    assert len(sentences(passage)) == 2


@for_each("passage", ["", " \n ", "\t"])
def test_without_words_there_is_no_sentence(passage: str) -> None:
    assert not sentence_spans(passage)


@given(st.text(alphabet="aB .!?\n\"'”(é1", max_size=60))
def test_sentences_are_in_order_and_lose_only_white_space(passage: str) -> None:
    places = sentence_spans(passage)
    ends = [0, *(end for _, end in places)]
    starts = [*(begin for begin, _ in places), len(passage)]
    assert all(not passage[end:start].strip() for end, start in zip(ends, starts, strict=True))


@for_each(
    "text",
    [
        "The U.S. Navy came at 5 p.m. | It left on Jan. 5. | No. 3 stayed.",
        "Acme Inc. paid Prof. Holm in 1990. | Roe vs. Wade et al. came later.",
        'Dr. J. R. Tveit lived in St. Olof. | He said "No." | Then he left!',
        "He was born c. 1850 in Mt. Vernon. | Nobody knows more.",
    ],
)
def test_abbreviations_end_no_sentence(text: str) -> None:
    assert sentences(text.replace("| ", "")) == text.split(" | ")


def test_sentences_of_scripts_without_spaces() -> None:
    assert sentences("東京は大きい。大阪も大きい。") == ["東京は大きい。", "大阪も大きい。"]


@given(st.text(st.characters()))
def test_no_text_is_an_error(text: str) -> None:
    assert all(text[start:end].strip() for start, end in sentence_spans(text))


@for_each(
    ("text", "language"),
    [
        ("1934?", None),
        ("Which luxury watch company is opening a store at the Christiana Mall on November 15?", "en"),
        ("Wer war der erste Müller von Lyng?", "de"),
        ("東京の人口は何人ですか", "ja"),
        ("Кто построил мельницу?\n", "ru"),
        ("", None),
        ("\ud800", None),
        ("Qui a construit le moulin d'Esk ?" * 500, "fr"),
    ],
)
def test_languages_are_told_apart(text: str, language: str | None) -> None:
    assert language_of(text) == language
    assert may_be_english(text) is (language in {None, "en"})


@for_each(
    ("text", "english"),
    [
        ("Can I sue my doctor?", True),
        ("Can I vote?", True),
        ("Capital of Costa Rica?", True),
        ("Is Bern in Bavaria?", True),
        ("Can a man sue?", True),
        ("Kann ich meinen Arzt verklagen?", False),
        ("¿Cuál es la capital de Costa Rica?", False),
        ("Wer hat The Wall gesungen und wann war das?", False),
    ],
)
def test_short_english_questions_are_english(text: str, *, english: bool) -> None:
    assert may_be_english(text) is english


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
