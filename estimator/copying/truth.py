"""Which answers are right, estimated from copy groups that count once each: a probability for every answer class."""

from dataclasses import dataclass

import numpy as np

from estimator.arrays.types import Floats
from estimator.copying.collapse import GroupVotes
from estimator.copying.layout import QueryClasses

_ROUNDS = 30
_TOLERANCE = 1e-3
# Pseudo-votes of average quality, so that two votes make no reliability of 0 or 1.
_PRIOR_VOTES = 2.0
# Pseudo-pairs of wrong votes, one in ten of which agree.
_PRIOR_PAIRS = 10.0
_PRIOR_COINCIDENCE = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The probability that an answer is right, for C classes."""

    right: Floats
    """(C,) probability that the class is the right answer to its query."""
    coincidence: float
    """Probability that two independent wrong answers to one query are the same."""


def by_share(classes: QueryClasses, votes: GroupVotes) -> Truth:
    """Each answer is right with its share of the votes, as nothing is known of the sources yet."""
    support = votes.support(classes.row.size)
    share = support / np.maximum(classes.total(support), 1.0)[classes.row]
    return Truth(share, _coincidence(classes, support, share))


def by_reliability(classes: QueryClasses, votes: GroupVotes) -> Truth:
    """Probabilities under one reliability A for each group, by expectation maximisation that starts from the shares.

    A vote is right with probability A, else one of n wrong answers, so it multiplies the odds of its class by
    `n A / (1 - A)` (Dong et al. 2009, section 4.2, doi:10.14778/1687627.1687690); n is `1 / coincidence`.
    """
    start = by_share(classes, votes)
    right, reliability = start.right, np.zeros(votes.group_count)
    wrong_answers = 1 / start.coincidence
    for _ in range(_ROUNDS):
        previous, reliability = reliability, group_reliability(votes, right)
        right = _e_step(classes, votes, reliability, wrong_answers)
        if np.abs(reliability - previous).max(initial=0.0) <= _TOLERANCE:
            break
    return Truth(right, _coincidence(classes, votes.support(classes.row.size), right))


def group_reliability(votes: GroupVotes, right: Floats) -> Floats:
    """(G,) expected share of right votes of every group, shrunk towards the mean where votes are few: the M-step."""
    right_votes = np.bincount(votes.group, right[votes.vote_class], minlength=votes.group_count)
    all_votes = np.bincount(votes.group, minlength=votes.group_count)
    mean = (right_votes.sum() + 1) / (all_votes.sum() + 2)
    share: Floats = (right_votes + _PRIOR_VOTES * mean) / (all_votes + _PRIOR_VOTES)
    return share.clip(0.01, 0.99)


def _e_step(classes: QueryClasses, votes: GroupVotes, reliability: Floats, wrong_answers: float) -> Floats:
    """(C,) probability that each class is right, given the reliabilities (G,) of the groups."""
    weight = np.log(wrong_answers * reliability / (1 - reliability))
    score = np.bincount(votes.vote_class, weight[votes.group], minlength=classes.row.size).astype(np.float64)
    right: Floats = np.exp(score - log_total_odds(classes, score, wrong_answers)[classes.row])
    return right


def log_total_odds(classes: QueryClasses, score: Floats, wrong_answers: float) -> Floats:
    """(K,) log of the summed odds of all `wrong_answers + 1` answers to a query, those that nobody gave included, whose
    score is 0; `score` (C,) are the log odds of the given ones.
    """
    top = classes.largest(score)
    given = classes.total(np.exp(score - top[classes.row]))
    others = np.maximum(wrong_answers + 1 - classes.count, 0.0) * np.exp(-top)
    total: Floats = top + np.log(given + others)
    return total


def _coincidence(classes: QueryClasses, support: Floats, right: Floats) -> float:
    """Share of pairs of wrong votes on one query that are for the same answer."""
    wrong = support * (1 - right)
    same = float((wrong * np.maximum(support - 1, 0.0)).sum())
    different = float((wrong * np.maximum(classes.total(wrong)[classes.row] - wrong, 0.0)).sum())
    return (same + _PRIOR_PAIRS * _PRIOR_COINCIDENCE) / (same + different + _PRIOR_PAIRS)
