"""The form of a claim."""

import pytest

from answering.judges import claim_of


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Who opened the hall?", "Lena Dahl", "Who opened the hall? Lena Dahl."),
        (" Who opened\nthe hall ", " Lena  Dahl. ", "Who opened the hall? Lena Dahl."),
        ("who opened the hall ??", "Mayor L.", "who opened the hall? Mayor L."),
    ],
)
def test_marks_and_white_space_make_no_other_claim(question: str, answer: str, claim: str) -> None:
    assert claim_of(question, answer) == claim
