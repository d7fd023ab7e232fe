"""How well a division into groups explains all votes: the judge between two stories that are each consistent.

Where a crowd of copiers outvotes the others, "they are right and the others copy each other" and "they copy and the
others are right" can both stand. What tells them apart is where sources go when they leave their group: copiers of an
error who look for themselves find the truth, honest sources who err scatter.
"""

import numpy as np

from estimator.dependence.collapse import GroupVotes
from estimator.dependence.layout import Ballots, Floats, class_of_votes
from estimator.dependence.truth import Truth, log_mass, reliability, scores
from estimator.votes import Integers, VoteMatrix

_ROUNDS = 10


def log_likelihood(votes: VoteMatrix, ballots: Ballots, groups: Integers, kept: GroupVotes, truth: Truth) -> float:
    """Of the votes of groups given the truth, plus those of members given their group, minus `log(M) / 2` a copier.

    The number of wrong answers is that of the most disputed query, the same for all divisions of the same votes.
    """
    wrong_answers = float(max(int(ballots.rivals.max()) - 1, 2))
    copiers = groups.size - kept.group_count
    return (
        _of_groups(ballots, kept, truth, wrong_answers)
        + _of_members(votes, groups, kept, truth, wrong_answers)
        - 0.5 * float(np.log(ballots.first.size + 1)) * copiers
    )


def _of_groups(ballots: Ballots, kept: GroupVotes, truth: Truth, wrong_answers: float) -> float:
    """One coin for each group; the truth is summed over."""
    reliable = reliability(kept, truth.chance)
    mass = log_mass(ballots, scores(ballots, kept, reliable, wrong_answers), wrong_answers)
    each_wrong = np.log((1 - reliable) / wrong_answers)
    return float((mass - np.log(wrong_answers + 1)).sum() + each_wrong[kept.group].sum())


def _of_members(votes: VoteMatrix, groups: Integers, kept: GroupVotes, truth: Truth, wrong_answers: float) -> float:
    """A member repeats its group with one chance, else answers by itself and is right with another."""
    source, klass, follows = _memberships(votes, groups, kept)
    chance = truth.chance[klass]
    cast = np.bincount(source, minlength=groups.size)
    repeats, right = np.full(groups.size, 0.8), np.full(groups.size, 0.5)

    def alone() -> Floats:
        each: Floats = chance * right[source] + (1 - chance) * (1 - right[source]) / wrong_answers
        return each

    for _ in range(_ROUNDS):
        taken = repeats[source] * follows
        taken = taken / (taken + (1 - repeats[source]) * alone())
        repeats = ((np.bincount(source, taken, minlength=groups.size) + 1) / (cast + 2)).clip(0.01, 0.999)
        own = np.bincount(source, 1 - taken, minlength=groups.size)
        own_right = np.bincount(source, (1 - taken) * chance, minlength=groups.size)
        right = ((own_right + 1) / (own + 2)).clip(0.01, 0.99)
    return float(np.log(repeats[source] * follows + (1 - repeats[source]) * alone()).sum())


def _memberships(votes: VoteMatrix, groups: Integers, kept: GroupVotes) -> tuple[Integers, Integers, Floats]:
    """Source and class of the votes cast in groups of several, and 1 where the group votes the same."""
    klass, source = class_of_votes(votes), votes.source.astype(np.int64)
    several = (np.bincount(groups)[groups] > 1)[source]
    klass, source = klass[several], source[several]
    key = np.sort(kept.klass * kept.group_count + kept.group)
    wanted = klass * kept.group_count + groups[source]
    place = np.minimum(np.searchsorted(key, wanted), max(key.size - 1, 0))
    return source, klass, (key[place] == wanted).astype(np.float64)
