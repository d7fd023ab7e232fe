"""Clauses of a passage."""

from hypothesis import given
from hypothesis import strategies as st

from answering.readers.clauses import clauses


@given(st.text())
def test_clauses_lose_no_word(text: str) -> None:
    kept = [word for clause in clauses(text) for word in clause]
    letters = [character for character in text if character.isalnum()]
    assert [character for word in kept for character in word if character.isalnum()] == letters
