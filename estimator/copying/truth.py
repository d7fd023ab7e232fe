"""Which answers are right if every copy group counts once: a small EM, for the search only."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from estimator.arrays.sorting import starts
from estimator.arrays.types import Floats, Integers
from estimator.copying.collapse import GroupVotes
from estimator.votes import VoteMatrix

_ROUNDS: Final = 30
_TOLERANCE: Final = 1e-3
_PRIOR_VOTES: Final = 2.0
"""Votes of average quality, so that two votes make no reliability of 0 or 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Probabilities under one reliability for each group."""

    right: Floats
    """(C,) probability that the class is the right answer to its query."""
    wrong_agreement: float
    """Probability that two independent wrong votes on a query are the same."""


def estimated_truth(votes: VoteMatrix, collapsed: GroupVotes) -> Truth:
    """Expectation maximisation that starts from the shares of the votes.

    A vote is right with the reliability A of its group, else one of n wrong answers, so it multiplies the odds of its
    class by `n A / (1 - A)` (Dong et al. 2009, section 4.2, doi:10.14778/1687627.1687690).
    """
    first = np.flatnonzero(starts(votes.class_query))
    classes = np.diff(first, append=votes.class_count)
    row = np.repeat(np.arange(first.size), classes)
    support = collapsed.support(row.size)
    right = support / np.bincount(row, support)[row]
    all_votes = np.bincount(collapsed.group, minlength=collapsed.group_count)
    wrong_agreement = _wrong_agreement(row, support, right)
    reliability = np.zeros(collapsed.group_count)
    for _ in range(_ROUNDS):
        right_votes = np.bincount(collapsed.group, right[collapsed.vote_class], minlength=reliability.size)
        mean = (right_votes.sum() + 1) / (all_votes.sum() + 2)
        previous = reliability
        reliability = ((right_votes + _PRIOR_VOTES * mean) / (all_votes + _PRIOR_VOTES)).clip(0.01, 0.99)
        weight = np.log(reliability / (1 - reliability) / wrong_agreement)
        score = np.bincount(collapsed.vote_class, weight[collapsed.group], minlength=row.size)
        top = np.maximum.reduceat(score, first).clip(min=0.0)
        odds = np.exp(score - top[row])
        nobody = np.maximum(1 / wrong_agreement + 1 - classes, 0.0) * np.exp(-top)
        right = odds / (np.bincount(row, odds) + nobody)[row]
        if np.abs(reliability - previous).max(initial=0.0) <= _TOLERANCE:
            break
    return Truth(right, _wrong_agreement(row, support, right))


def _wrong_agreement(row: Integers, support: Floats, right: Floats) -> float:
    """Share of the pairs of wrong votes on one query that are for the same answer; one in ten of ten pairs more."""
    wrong = support * (1 - right)
    same = float((wrong * (support - 1).clip(min=0.0)).sum())
    different = float((wrong * (np.bincount(row, wrong)[row] - wrong).clip(min=0.0)).sum())
    return (same + 1) / (same + different + 10)
