"""The sentences of a passage that a small model should see: those nearest to the question. English."""

from collections.abc import Sequence

from answering.questions.answer_type import content_words
from answering.readers.candidate_spans import candidate_spans
from answering.text.sentences import sentences


def nearest_passage(question: str, passages: Sequence[str]) -> str:
    """The passage that covers most of the question, the first of equals; empty without passages."""
    return max(passages, key=lambda passage: question_coverage(question, passage), default="")


def select_sentences(question: str, passage: str, limit: int) -> list[str]:
    """The fewest sentences, at most `limit`, that cover what the passage covers and hold a candidate answer.

    Sentences that cover more of the question come first into the selection; they are returned in the order of the text.
    """
    texts = sentences(passage)
    ranked = sorted(range(len(texts)), key=lambda index: -question_coverage(question, texts[index]))
    coverage = question_coverage(question, passage)
    selected: list[str] = []
    for count in range(1, limit + 1):
        selected = [texts[index] for index in sorted(ranked[:count])]
        if question_coverage(question, " ".join(selected)) >= coverage and candidate_spans(question, selected):
            break
    return selected


def question_coverage(question: str, text: str) -> float:
    """The share of the question's content words that occur in the text, in [0, 1]; 1 for a question without any."""
    words = content_words(question)
    return len(words & content_words(text)) / len(words) if words else 1.0
