"""Claims of questions and answers."""

from answering.judges import claim_of
from answering.judges.compact import answer_occurs
from tests.tables import for_each


@for_each(
    ("question", "answer", "claim"),
    [
        ("Who opened the hall?", "Lena Dahl", "Who opened the hall? Lena Dahl."),
        (" Who opened\nthe hall ", " Lena  Dahl. ", "Who opened the hall? Lena Dahl."),
        ("who opened the hall ??", "Mayor L.", "who opened the hall? Mayor L."),
    ],
)
def test_punctuation_and_white_space_do_not_change_the_claim(question: str, answer: str, claim: str) -> None:
    assert claim_of(question, answer) == claim


@for_each(
    ("answer", "passage", "stands"),
    [
        ("Lena Dahl", "Opened by lena  Dahl, in 1911.", True),
        ("The 1911", "Opened in 1911.", True),
        ("191", "Opened in 1911.", False),
        ("Lena Dahl", "Opened by Lena and Ivar Dahl.", False),
        ("Lena Dahl", "", False),
    ],
)
def test_an_answer_occurs_only_as_whole_words(answer: str, passage: str, *, stands: bool) -> None:
    assert answer_occurs(claim_of("Who opened the hall?", answer), passage) is stands


@for_each("claim", ["", "Lena Dahl opened the hall.", "Who opened the hall?", "Who? ."])
def test_a_plain_sentence_has_no_answer(claim: str) -> None:
    assert answer_occurs(claim, "Lena Dahl opened the hall.") is None
