"""What is right by the votes of copy groups, how likely the votes of all members then are, and what it would mean for
sources if other answers were right.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from estimator.arrays.types import Floats, Integers
from estimator.result import START_RELIABILITY
from estimator.votes import VoteMatrix
from estimator.weights import log_odds

_ROUNDS: Final = 5


def estimated_truth(votes: VoteMatrix, vote_class: Integers, group: Integers) -> tuple[Floats, float]:
    """Probability (C,) that each class is right, given the votes (W,) of groups, and probability that two wrong ones on
    a query are the same: expectation maximisation that starts from the shares of the votes.

    A vote is right with the reliability A of its group, else one of n wrong answers, so it multiplies the odds of its
    class by `n A / (1 - A)` (Dong et al. 2009, section 4.2, doi:10.14778/1687627.1687690).
    """
    query, classes = votes.class_query, np.bincount(votes.class_query)
    support = np.bincount(vote_class, minlength=query.size).astype(np.float64)
    right, wrong_agreement = support / np.bincount(query, support)[query], 0.1
    for _ in range(_ROUNDS):
        wrong = support * (1 - right)
        same = float((wrong * (support - 1).clip(min=0.0)).sum())
        different = float((wrong * (np.bincount(query, wrong)[query] - wrong).clip(min=0.0)).sum())
        wrong_agreement = (same + 1) / (same + different + 10)  # a prior of one in ten, worth ten pairs
        weight = log_odds(shares_right(group, right[vote_class], int(group.max()) + 1)) - np.log(wrong_agreement)
        score = np.bincount(vote_class, weight[group], minlength=query.size)
        top = np.zeros(classes.size)
        np.maximum.at(top, query, score)
        odds = np.exp(score - top[query])
        none_correct = np.maximum(1 / wrong_agreement + 1 - classes, 0.0) * np.exp(-top)
        right = odds / (np.bincount(query, odds) + none_correct)[query]
    return right, wrong_agreement


def contested(votes: VoteMatrix, right: Floats) -> Floats:
    """(N,) what the reliability of each source would gain if the second likeliest answers were right in place of the
    likeliest, by its votes for them, given the probability (C,) that each class is right.
    """
    query, most, second = votes.class_query, np.zeros(votes.query_count), np.zeros(votes.query_count)
    np.maximum.at(most, query, right)
    others = np.where(right < most[query], right, 0.0)
    np.maximum.at(second, query, others)
    gain = np.where((others > 0) & (others >= second[query]), 1 - right, 0.0)[votes.vote_class]
    count = np.bincount(votes.source, minlength=votes.source_count)
    return np.asarray(np.bincount(votes.source, gain, count.size) / (count + 2))


def shares_right(source: NDArray[np.integer[Any]], right: Floats, count: int) -> Floats:
    """(N,) shares of right votes, given the probabilities (V,) that votes are; the start counts as two votes more."""
    right_votes, votes = np.bincount(source, right, minlength=count), np.bincount(source, minlength=count)
    return np.asarray((right_votes + 2 * START_RELIABILITY) / (votes + 2))


def log_likelihood(votes: VoteMatrix, groups: Integers, vote_class: Integers, group: Integers, right: Floats) -> Floats:
    """Lower bound (M,) of the log-likelihood of the votes on every query, given the votes of groups (W,) and the
    probability (C,) that each class is right.

    A group is right with a probability of its own. A member of a group of several repeats its group with a second
    probability, and where it does not is right with a third; all are fitted. A wrong vote is any other answer alike.
    Pairs cannot tell who copies where most sources err alike; this can: honest sources that leave a group scatter.
    """
    several, count = np.bincount(groups) > 1, groups.size
    member = several[groups][votes.source]
    source, answer = votes.source[member], votes.vote_class[member]
    own = ~np.isin(answer * count + groups[source], (vote_class * count + group)[several[group]])
    rate = np.concatenate((group, count + source, 2 * count + source[own]))
    success = np.concatenate((right[vote_class], ~own, right[answer[own]]))
    fitted = ((np.bincount(rate, success) + 1) / (np.bincount(rate) + 2))[rate]
    log_wrong = np.log1p(-fitted)
    log_wrong[rate // count != 1] -= np.log(max(int(np.bincount(votes.class_query).max()) - 1, 2))
    query = votes.class_query[np.concatenate((vote_class, answer, answer[own]))]
    of_votes = np.bincount(query, success * np.log(fitted) + (1 - success) * log_wrong, votes.query_count)
    return np.asarray(of_votes - np.bincount(votes.class_query, xlogy(right, right), votes.query_count))
