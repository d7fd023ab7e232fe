"""What of some passages a small model should see: the sentences nearest to the question. English."""

from collections.abc import Sequence

from answering.readers.answer_type import content_words
from answering.readers.candidate_spans import candidate_spans
from answering.sentences import sentences


def nearest_passage(question: str, passages: Sequence[str]) -> str:
    """The passage that shares most content words with the question, the first of equals; empty without any."""
    return max(passages, key=lambda passage: question_coverage(question, passage), default="")


def select_sentences(question: str, passage: str, most: int) -> list[str]:
    """The fewest sentences that hold what the passage holds of the question, and a span that could answer it.

    At most `most`, the nearest to the question first, in the order in which they stand.
    """
    found = sentences(passage)
    nearest = sorted(range(len(found)), key=lambda at: -question_coverage(question, found[at]))
    selections = ([found[at] for at in sorted(nearest[:count])] for count in range(1, most + 1))
    held = question_coverage(question, passage)
    return next(
        (some for some in selections if _suffices(question, some, held)),
        [found[at] for at in sorted(nearest[:most])],
    )


def _suffices(question: str, some: Sequence[str], held: float) -> bool:
    return question_coverage(question, " ".join(some)) >= held and bool(candidate_spans(question, some))


def question_coverage(question: str, text: str) -> float:
    """The share of the question's content words that the text holds, in [0, 1]; 1 for a question without any."""
    wanted = content_words(question)
    return len(wanted & content_words(text)) / len(wanted) if wanted else 1.0
