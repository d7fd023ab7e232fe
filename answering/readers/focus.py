"""What of some passages a small model should see: the sentences nearest to the question. English."""

import re
from collections.abc import Sequence

from answering.readers.candidates import content_words

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def nearest_passage(question: str, passages: Sequence[str]) -> str:
    """The passage that shares most content words with the question, the first of equals; empty without any."""
    return max(passages, key=lambda passage: support(question, passage), default="")


def focus(question: str, passage: str, count: int) -> list[str]:
    """The `count` sentences that share most words with the question, in the order in which they stand."""
    wanted = content_words(question)
    sentences = [sentence for sentence in _SENTENCE_END.split(passage) if sentence.strip()]
    nearest = sorted(range(len(sentences)), key=lambda at: (-len(wanted & content_words(sentences[at])), at))
    return [sentences[at] for at in sorted(nearest[:count])]


def support(question: str, text: str) -> float:
    """The share of the question's content words that the text holds, in [0, 1]; 1 for a question without any."""
    wanted = content_words(question)
    return len(wanted & content_words(text)) / len(wanted) if wanted else 1.0
