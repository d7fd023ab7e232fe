"""The sentences that a small model sees."""

from hypothesis import given
from hypothesis import strategies as st

from answering.readers.sentence_selection import nearest_passage, question_coverage, select_sentences
from tests.tables import for_each

PASSAGE = "The mill at Lyng is old. It closed in 1956. Cats live there. Bread was cheap."


def test_the_nearest_passage_shares_most_words() -> None:
    assert nearest_passage("Who built the mill at Lyng?", ["Cats live there.", PASSAGE, "The mill is red."]) == PASSAGE
    assert not nearest_passage("Who?", [])


@for_each(
    ("question", "share"), [("Which mill closed at Lyng?", 1.0), ("Which dam closed?", 0.5), ("Who?", 1.0), ("", 1.0)]
)
def test_coverage_is_a_share_of_the_words_of_the_question(question: str, share: float) -> None:
    assert question_coverage(question, PASSAGE) == share


def test_one_sentence_with_the_words_and_a_span_suffices() -> None:
    assert select_sentences("When did it close?", PASSAGE, 2) == ["It closed in 1956."]


def test_a_second_sentence_is_added_where_words_or_a_span_are_missing() -> None:
    sentences = select_sentences("When did the mill at Lyng close?", PASSAGE, 2)
    assert sentences == ["The mill at Lyng is old.", "It closed in 1956."]


@given(st.text(), st.text(), st.integers(1, 3))
def test_sentences_keep_their_order_and_number(question: str, passage: str, most: int) -> None:
    shown = select_sentences(question, passage, most)
    assert len(shown) <= most
    start = 0
    for sentence in shown:
        start = passage.index(sentence, start) + len(sentence)
