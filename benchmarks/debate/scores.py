"""Scores of lists of answers against gold and wrong ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from answering.debates.support import contains_phrase
from answering.equivalence import answer_key


@dataclass(frozen=True, slots=True)
class Score:
    """`strict` is 1 for all gold answers and no wrong one (RAMDocs), else 0; precision without any answer is 0.

    `whole` is `strict` where an answer must hold all words of the gold one: not "May" for "1 May 1990".
    """

    strict: float
    whole: float
    precision: float
    recall: float
    f1: float


def matches(answer: str, gold: str) -> bool:
    """Whether two answers are of one class, or one contains the words of the other."""
    return holds(answer, gold) or contains_phrase(gold, answer)


def holds(answer: str, gold: str) -> bool:
    """Whether an answer is of the class of the gold one, or contains its words."""
    return answer_key(answer) == answer_key(gold) or contains_phrase(answer, gold)


def score(answers: Sequence[str], gold: Sequence[str], wrong: Sequence[str]) -> Score:
    """Compare answers with the gold and the wrong ones."""
    right = [any(matches(answer, expected) for expected in gold) for answer in answers]
    recalled = [any(matches(answer, expected) for answer in answers) for expected in gold]
    precision = sum(right) / len(right) if right else 0.0
    recall = sum(recalled) / len(recalled)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    strict, whole = (_strictly_right(answers, gold, wrong, fits) for fits in (matches, holds))
    return Score(float(strict), float(whole), precision, recall, f1)


def _strictly_right(
    answers: Sequence[str], gold: Sequence[str], wrong: Sequence[str], fits: Callable[[str, str], bool]
) -> bool:
    others = [answer for answer in answers if not any(fits(answer, expected) for expected in gold)]
    misled = any(matches(answer, false) for answer in others for false in wrong)
    return not misled and all(any(fits(answer, expected) for answer in answers) for expected in gold)
