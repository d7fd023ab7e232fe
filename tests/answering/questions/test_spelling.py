"""Misspelt questions."""

from answering.questions.spelling import corrected
from tests.tables import for_each

KNOWN = {"which", "states", "were", "sold", "to", "spain", "parliament", "the", "of", "bird"}
PASSAGE = "The Parliament sold the states of Myhre and Louisiana to Spain."


@for_each(
    ("question", "right"),
    [
        ("Whihc staets were sold?", "Which states were sold?"),
        ("the parliamnet of Spian", "the parliament of Spain"),
        ("Which birs?", "Which birs?"),  # no such word in the passage
        ("Which were Myhra?", "Which were Myhra?"),  # perhaps another name
        ("Which state of Louisiana?", "Which states of Louisiana?"),
        ("Which birds of Spain?", "Which birds of Spain?"),
        ("", ""),
    ],
)
def test_unknown_words_become_known_ones(question: str, right: str) -> None:
    assert corrected(question, [PASSAGE], KNOWN.__contains__) == right
