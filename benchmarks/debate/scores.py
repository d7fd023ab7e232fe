"""Scores of lists of answers against gold and wrong ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from answering.debates.support import contains_phrase
from answering.equivalence import answer_key


@dataclass(frozen=True, slots=True)
class Score:
    """`strict`: all gold answers and no wrong one (RAMDocs); precision without any answer is 0."""

    strict: float
    precision: float
    recall: float
    f1: float


def same(said: str, wanted: str) -> bool:
    """One class, or the words of one stand in the other."""
    return answer_key(said) == answer_key(wanted) or contains_phrase(wanted, said) or contains_phrase(said, wanted)


def score(answers: Sequence[str], gold: Sequence[str], wrong: Sequence[str]) -> Score:
    """How well the answers are the gold ones."""
    right = [any(same(answer, one) for one in gold) for answer in answers]
    found = [any(same(answer, one) for answer in answers) for one in gold]
    misled = any(
        any(same(answer, one) for one in wrong) for answer, fits in zip(answers, right, strict=True) if not fits
    )
    precision = sum(right) / len(right) if right else 0.0
    recall = sum(found) / len(found)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(float(all(found) and not misled), precision, recall, f1)
