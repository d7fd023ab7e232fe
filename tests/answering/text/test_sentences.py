"""Sentence boundaries: abbreviations, line breaks, other scripts, and that no text is lost."""

from hypothesis import given
from hypothesis import strategies as st

from answering.text.sentences import sentence_spans, sentences
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
