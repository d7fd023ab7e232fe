"""Which answers are right if every copy group counts once, and how well that explains the votes."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, xlogy

from estimator.arrays.sorting import starts
from estimator.arrays.types import Floats, Integers
from estimator.copying.collapse import GroupVotes
from estimator.result import START_RELIABILITY
from estimator.votes import VoteMatrix

_ROUNDS: Final = 30
_TOLERANCE: Final = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Probabilities under one reliability for each group."""

    right: Floats
    """(C,) probability that the class is the right answer to its query."""
    wrong_agreement: float
    """Probability that two independent wrong votes on a query are the same."""


def reliability_of(source: NDArray[np.integer[Any]], right: Floats, count: int) -> Floats:
    """(N,) shares of right votes, with the start of the model as two votes more, so that two votes make none of 0 or 1;
    `right` (V,) are the probabilities that the votes are right.
    """
    right_votes, votes = np.bincount(source, right, minlength=count), np.bincount(source, minlength=count)
    share: Floats = (right_votes + 2 * START_RELIABILITY) / (votes + 2)
    return share


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
    wrong_agreement = _wrong_agreement(row, support, right)
    reliability = np.zeros(collapsed.group_count)
    for _ in range(_ROUNDS):
        previous = reliability
        reliability = reliability_of(collapsed.group, right[collapsed.vote_class], collapsed.group_count)
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


def log_likelihood(votes: VoteMatrix, groups: Integers, collapsed: GroupVotes, right: Floats) -> float:
    """A lower bound of the log-likelihood of V votes, given (C,) probabilities that a class is right.

    Each group is right with a probability of its own, and so is each member of a group of several where it does not
    repeat its group, which it does with another; all are integrated over uniform priors. A wrong vote is any other
    answer with the same probability.

    Where many copiers outvote the others, "they are right and the others copy each other" and "they copy and the others
    are right" explain every pair equally well. They differ in how sources answer when they leave their group: copiers
    of an error who answer by themselves are often right, honest sources who err scatter.
    """
    row = np.cumsum(starts(votes.class_query)) - 1
    nobody = (1 - np.bincount(row, right)).clip(0.0, 1.0)
    wrong_answers = max(int(np.bincount(row).max()) - 1, 2)
    several = np.bincount(groups) > 1
    member, grouped = several[groups][votes.source], several[collapsed.group]
    source, vote_class = votes.source[member].astype(np.int64), votes.vote_class[member]
    entry = vote_class * collapsed.group_count + groups[source]
    repeats = np.isin(entry, (collapsed.vote_class * collapsed.group_count + collapsed.group)[grouped])
    own = ~repeats
    return (
        _votes_of_sources(collapsed.group, right[collapsed.vote_class], wrong_answers)
        + _votes_of_sources(source[own], right[vote_class[own]], wrong_answers)
        + _integrated(source, repeats.astype(np.float64))
        - float(xlogy(right, right).sum() + xlogy(nobody, nobody).sum())
    )


def _integrated(source: Integers, success: Floats) -> float:
    """Log probability of the successes (V,), with a rate for each source that is integrated over a uniform prior."""
    yes, no = np.bincount(source, success), np.bincount(source, 1 - success)
    return float(betaln(yes + 1, no + 1).sum())


def _votes_of_sources(source: Integers, right: Floats, wrong_answers: int) -> float:
    return _integrated(source, right) - float((1 - right).sum() * np.log(wrong_answers))
