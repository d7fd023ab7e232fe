"""Where sentences stand, and quotes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.judges.sentences import find_quote, sentence_at, sentences

PASSAGE = "The hall was opened by Mrs. L. Dahl in 1911. It burnt down twice!\nNobody was hurt. 36 men rebuilt it."


def _texts(passage: str) -> list[str]:
    return [passage[begin:end] for begin, end in sentences(passage)]


def test_abbreviations_and_initials_end_no_sentence() -> None:
    assert _texts(PASSAGE) == [
        "The hall was opened by Mrs. L. Dahl in 1911.",
        "It burnt down twice!",
        "Nobody was hurt.",
        "36 men rebuilt it.",
    ]


@pytest.mark.parametrize(
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
    assert _texts(passage) == texts


def test_much_white_space_costs_no_more_than_its_length() -> None:
    passage = f"One{' ' * 200_000}two{' ' * 200_000}\nThree"
    began = time.process_time()
    assert len(_texts(passage)) == 2
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize("passage", ["", " \n ", "\t"])
def test_without_words_there_is_no_sentence(passage: str) -> None:
    assert sentences(passage) == []


@given(st.text(alphabet="aB .!?\n\"'”(é1", max_size=60))
def test_sentences_are_in_order_and_lose_only_white_space(passage: str) -> None:
    places = sentences(passage)
    ends = [0, *(end for _, end in places)]
    starts = [*(begin for begin, _ in places), len(passage)]
    assert all(not passage[end:start].strip() for end, start in zip(ends, starts, strict=True))


def test_the_sentence_of_a_span_is_found() -> None:
    start = PASSAGE.index("twice")
    evidence = sentence_at(PASSAGE, start, start + 5)
    assert evidence.text == "It burnt down twice!"
    assert PASSAGE[evidence.start : evidence.end] == evidence.text


def test_a_span_over_a_border_has_both_sentences() -> None:
    start = PASSAGE.index("1911")
    evidence = sentence_at(PASSAGE, start, PASSAGE.index("burnt") + 5)
    assert evidence.text == "The hall was opened by Mrs. L. Dahl in 1911. It burnt down twice!"


def test_the_sentence_of_a_span_ends_with_its_line() -> None:
    passage = "Opened: 1911\nArchitect: L. Dahl\nCost: 40,000"
    start = passage.index("Dahl")
    evidence = sentence_at(passage, start, start + 4)
    assert evidence.text == passage[evidence.start : evidence.end] == "Architect: L. Dahl"


def test_a_quote_is_found_whatever_its_white_space_and_case() -> None:
    evidence = find_quote(PASSAGE, "it  BURNT down twice! nobody")
    assert evidence is not None
    assert PASSAGE[evidence.start : evidence.end] == evidence.text == "It burnt down twice!\nNobody"


@pytest.mark.parametrize("quote", ["", "  ", "It burnt down thrice", "twice! It"])
def test_what_does_not_stand_there_is_no_quote(quote: str) -> None:
    assert find_quote(PASSAGE, quote) is None
