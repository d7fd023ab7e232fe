"""The form of a claim that an answer makes: the question itself, then the answer."""

import re

from answering.text import squad_normalise


def claim_of(question: str, answer: str) -> str:
    """`Who opened the hall? Lena Dahl.`; the compact judge was trained on this form and on plain sentences."""
    asked = " ".join(question.split()).rstrip("?.! ")
    said = " ".join(answer.split()).rstrip(". ")
    return f"{asked}? {said}."


def answer_stands(claim: str, passage: str) -> bool | None:
    """Whether the answer of such a claim stands in the passage word for word; None for a claim of another form."""
    _, mark, answer = claim.partition("? ")
    words = squad_normalise(answer)
    if not mark or not words:
        return None
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", squad_normalise(passage)) is not None
