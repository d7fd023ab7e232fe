"""Copy groups in the place of sources: a group has one vote on a query, as most of its members say."""

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.sorting import starts
from estimator.arrays.types import Integers
from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix


def collapse(votes: VoteMatrix, groups: ArrayLike) -> VoteMatrix:
    """The same queries and answers with G copy groups as the sources: a group votes as most of its members do.

    `groups` (N,) are labels from 0, as those of `find_copies`. Where several answers have equally many members
    behind them, the one with more votes from outside the group counts, then the one with the smallest id. Raises
    EstimatorError for labels of another shape or below 0.

    >>> votes = VoteMatrix.from_triples([0, 0, 0], [0, 1, 2], [4, 4, 9], query_count=1, source_count=3)
    >>> [column.tolist() for column in collapse(votes, [0, 0, 1]).triples()]
    [[0, 0], [0, 1], [4, 9]]
    """
    label = np.asarray(groups)
    if label.shape != (votes.source_count,) or not np.issubdtype(label.dtype, np.integer) or (label < 0).any():
        raise EstimatorError(f"groups must be one whole number of 0 or more for each of {votes.source_count} sources")
    vote_class, group = group_votes(votes, label.astype(np.int64))
    collapsed = VoteMatrix.from_triples(
        votes.class_query[vote_class],
        group,
        votes.class_answer[vote_class],
        query_count=votes.query_count,
        source_count=int(label.max(initial=-1)) + 1,
    )
    if votes.read is None:
        return collapsed
    # A copy is misread together with its original: of the readings of a group the best one counts.
    count = collapsed.source_count
    pair, place = np.unique(votes.vote_class * count + label[votes.source], return_inverse=True)
    best = np.zeros(pair.size)
    np.maximum.at(best, place, votes.read)
    voted = np.sort(vote_class * count + group)
    return collapsed.with_misreadings(1 - best[np.searchsorted(pair, voted)])


def group_votes(votes: VoteMatrix, groups: Integers) -> tuple[Integers, Integers]:
    """Answer class and group (W,) of the votes of the groups (N,), at most one of a group on a query."""
    vote_class, group = votes.vote_class, groups[votes.source]
    count = int(groups.max(initial=0)) + 1
    several = np.bincount(groups, minlength=count)[group] > 1
    entry, members = np.unique(vote_class[several] * count + group[several], return_counts=True)
    of_class, of_group = np.divmod(entry, count)
    outside = np.diff(votes.class_start)[of_class] - members
    query = votes.class_query[of_class].astype(np.int64)
    order = np.lexsort((of_class, -outside, -members, of_group, query))
    first = order[starts(query[order]) | starts(of_group[order])]
    return np.concatenate((vote_class[~several], of_class[first])), np.concatenate((group[~several], of_group[first]))


def supporting_groups(votes: VoteMatrix, groups: Integers) -> Integers:
    """(C,) how many of the groups (N,) vote for each class."""
    if np.bincount(groups).max(initial=0) <= 1:
        return np.diff(votes.class_start)
    return np.bincount(group_votes(votes, groups)[0], minlength=votes.class_count)
