"""The form of a claim that an answer makes: the question itself, then the answer."""


def claim_of(question: str, answer: str) -> str:
    """`Who opened the hall? Lena Dahl.`; the compact judge was trained on this form and on plain sentences."""
    asked = " ".join(question.split()).rstrip("?.! ")
    said = " ".join(answer.split()).rstrip(". ")
    return f"{asked}? {said}."
