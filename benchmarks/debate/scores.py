"""Scores of lists of answers against gold and wrong ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from answering.debates.support import contains_phrase
from answering.equivalence import answer_key


@dataclass(frozen=True, slots=True)
class Score:
    """`strict` is 1 for all gold answers and no wrong one (RAMDocs), else 0; precision without any answer is 0."""

    strict: float
    precision: float
    recall: float
    f1: float


def matches(answer: str, gold: str) -> bool:
    """Whether two answers are of one class, or one contains the words of the other."""
    return answer_key(answer) == answer_key(gold) or contains_phrase(gold, answer) or contains_phrase(answer, gold)


def score(answers: Sequence[str], gold: Sequence[str], wrong: Sequence[str]) -> Score:
    """Compare answers with the gold and the wrong ones."""
    right = [any(matches(answer, expected) for expected in gold) for answer in answers]
    recalled = [any(matches(answer, expected) for answer in answers) for expected in gold]
    misled = any(
        any(matches(answer, false) for false in wrong) for answer, fits in zip(answers, right, strict=True) if not fits
    )
    precision = sum(right) / len(right) if right else 0.0
    recall = sum(recalled) / len(recalled)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(float(all(recalled) and not misled), precision, recall, f1)
