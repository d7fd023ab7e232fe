"""Choices among spans: the shortest distinct texts, and the span of a reply."""

from hypothesis import given
from hypothesis import strategies as st

from answering.readers.grammar import choices, chosen, grammar

SPANS = st.sets(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).map(str.strip), min_size=1)
WORDS = st.text("ab1", min_size=1, max_size=3)
PHRASES = st.sets(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=12)


def test_the_deciding_word_is_enough() -> None:
    assert choices(["Ivar Brask", "Ivar Lund", "Tora Myhre"]) == {
        "Ivar Brask": "Ivar Brask",
        "Ivar Lund": "Ivar Lund",
        "Tora": "Tora Myhre",
    }


def test_of_a_number_the_deciding_digit_is_enough() -> None:
    assert choices(["1874", "1962 crowns", "1969"]) == {"18": "1874", "1962": "1962 crowns", "1969": "1969"}


def test_a_span_that_begins_another_one_ends_with_the_line() -> None:
    assert choices(["Mount", "Mount Harra"]) == {"Mount\n": "Mount", "Mount Harra": "Mount Harra"}


@given(SPANS | PHRASES)
def test_every_span_has_one_text_and_no_text_begins_another(spans: set[str]) -> None:
    texts = choices(spans)
    assert set(texts.values()) == spans
    assert len(texts) == len(spans)
    for text, span in texts.items():
        assert f"{span}\n".startswith(text)
        assert not any(other.startswith(text) for other in texts if other != text)


@given(SPANS | PHRASES)
def test_every_reply_finds_its_span(spans: set[str]) -> None:
    texts = choices(spans)
    for text, span in texts.items():
        assert chosen(f" {text}", texts) == span
        assert chosen(f" {text}".rstrip("\n"), texts) == span
    assert chosen(" something else entirely", texts) is None


def test_the_grammar_quotes_what_would_end_its_quotes() -> None:
    assert grammar(['the "Aurelia"', "a\\b", "Mount\n"]) == (r'root ::= " the \"Aurelia\"" | " a\\b" | " Mount\n"')
