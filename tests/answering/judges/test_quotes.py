"""The sentence around a span, and quotations that are found in a passage."""

from answering.judges.quotes import find_quote, sentence_at
from tests.tables import for_each

PASSAGE = "The hall was opened by Mrs. L. Dahl in 1911. It burnt down twice!\nNobody was hurt. 36 men rebuilt it."


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


@for_each("quote", ["", "  ", "It burnt down thrice", "twice! It"])
def test_what_does_not_stand_there_is_no_quote(quote: str) -> None:
    assert find_quote(PASSAGE, quote) is None
