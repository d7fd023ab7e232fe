"""Log-likelihood of the votes under a partition of the sources into copy groups.

Where many copiers outvote the others, "they are right and the others copy each other" and "they copy and the others are
right" explain every pair equally well. They differ in how sources answer when they leave their group: copiers of an
error who answer by themselves are often right, honest sources who err scatter.
"""

from typing import Final

import numpy as np
from scipy.special import betaln, gammaln, xlogy

from estimator.arrays.sorting import starts
from estimator.arrays.types import Floats, Integers
from estimator.copying.collapse import GroupVotes
from estimator.votes import VoteMatrix

_ROUNDS: Final = 10
_CONCENTRATIONS: Final = (0.05, 0.2, 0.8, 3.0, 1000.0)


def log_likelihood(votes: VoteMatrix, groups: Integers, collapsed: GroupVotes, right: Floats) -> float:
    """A lower bound of the log-likelihood of V votes, given (C,) probabilities that a class is right.

    A group is right with a probability of its own, integrated over a uniform prior; wrong answers are drawn from a
    distribution of the query's own (Dirichlet-multinomial; popularity of false values as in Dong, Saha & Srivastava
    2013, doi:10.14778/2535568.2448938), whose concentration is the likeliest; a member repeats its group or answers by
    itself.
    """
    begins = starts(votes.class_query)
    row = np.cumsum(begins) - 1
    nobody = (1 - _sums(row, right)).clip(0.0, 1.0)
    support = collapsed.support(right.size)
    wrong_answers = float(max(int(np.bincount(row).max()) - 1, 2))

    def wrong_votes(concentration: float) -> float:
        return _wrong_votes(row, support, right, nobody, concentration, wrong_answers)

    concentration = max(_CONCENTRATIONS, key=wrong_votes)
    of_group = right[collapsed.vote_class]
    right_count = np.bincount(collapsed.group, of_group, minlength=collapsed.group_count)
    count = np.bincount(collapsed.group, minlength=collapsed.group_count)
    total = wrong_votes(concentration) + float(betaln(right_count + 1, count - right_count + 1).sum())
    total -= float(xlogy(right, right).sum() + xlogy(nobody, nobody).sum())
    wrong = _sums(row, support * (1 - right))[row]
    popularity = ((concentration + support) / (wrong_answers * concentration + wrong)).clip(max=1.0)
    return total + _members(votes, groups, collapsed, right, popularity)


def _sums(row: Integers, value: Floats) -> Floats:
    return np.bincount(row, value).astype(np.float64)


def _wrong_votes(
    row: Integers, support: Floats, right: Floats, nobody: Floats, concentration: float, wrong_answers: float
) -> float:
    """Expected log probability of how the wrong votes of groups split, over which class is right."""
    of_class = gammaln(concentration + support) - gammaln(concentration)
    spread = concentration * wrong_answers
    votes, of_query = _sums(row, support), _sums(row, of_class)

    def normaliser(count: Floats) -> Floats:
        value: Floats = gammaln(spread + count) - gammaln(spread)
        return value

    if_right = of_query[row] - of_class - normaliser(votes[row] - support)
    return float(right @ if_right + nobody @ (of_query - normaliser(votes)))


def _members(votes: VoteMatrix, groups: Integers, collapsed: GroupVotes, right: Floats, popularity: Floats) -> float:
    """Log-likelihood of the votes of members of groups of several, given the votes of their groups: each repeats its
    group with a probability of its own, else is right with another; both fitted by expectation maximisation.
    """
    of_several = (np.bincount(groups) > 1)[groups]
    source, vote_class = votes.source.astype(np.int64), votes.vote_class
    chosen = of_several[source]
    source, vote_class = source[chosen], vote_class[chosen]
    count = collapsed.group_count
    follows = np.isin(vote_class * count + groups[source], collapsed.vote_class * count + collapsed.group)
    is_right, popular = right[vote_class], popularity[vote_class]

    def by_source(value: Floats) -> Floats:
        return np.bincount(source, value, minlength=groups.size).astype(np.float64)

    vote_count = by_source(np.ones(source.size))
    copy_rate, reliability = np.full(groups.size, 0.8), np.full(groups.size, 0.5)
    for _ in range(_ROUNDS):
        rate, own = copy_rate[source], reliability[source]
        alone = is_right * own + (1 - is_right) * (1 - own) * popular
        copied = rate * follows / (rate * follows + (1 - rate) * alone)
        right_alone = by_source((1 - copied) * is_right * own / np.maximum(alone, 1e-12))
        copy_rate = ((by_source(copied) + 1) / (vote_count + 2)).clip(0.01, 0.999)
        reliability = ((right_alone + 1) / (vote_count - by_source(copied) + 2)).clip(0.01, 0.99)
    rate, own = copy_rate[source], reliability[source]
    alone = is_right * own + (1 - is_right) * (1 - own) * popular
    # Two parameters a member, each half the log of its votes (Schwarz 1978, doi:10.1214/aos/1176344136).
    return float(
        np.log(rate * follows + (1 - rate) * alone).sum() - np.log(np.maximum(vote_count[of_several], 2)).sum()
    )
