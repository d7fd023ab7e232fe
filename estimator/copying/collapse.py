"""One vote of a copy group on a query, however many members repeat it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.sorting import starts
from estimator.arrays.types import Floats, Integers
from estimator.errors import EstimatorError
from estimator.votes import VoteMatrix


@dataclass(frozen=True, slots=True, eq=False)
class GroupVotes:
    """The W votes of G copy groups, at most one of a group on a query."""

    vote_class: Integers
    """(W,) answer class of the vote matrix that the group votes for."""
    group: Integers
    """(W,)"""
    group_count: int
    """G."""

    def support(self, class_count: int) -> Floats:
        """(C,) number of groups that vote for every class."""
        return np.bincount(self.vote_class, minlength=class_count).astype(np.float64)

    def matrix(self, votes: VoteMatrix) -> VoteMatrix:
        """The votes as a matrix with the groups as sources."""
        return VoteMatrix.from_triples(
            votes.class_query[self.vote_class],
            self.group,
            votes.class_answer[self.vote_class],
            query_count=votes.query_count,
            source_count=self.group_count,
        )


def collapse(votes: VoteMatrix, groups: ArrayLike) -> VoteMatrix:
    """The same queries and answers with G copy groups as the sources: a group votes as most of its members do.

    `groups` (N,) are labels from 0, as in `CopyDetection.groups`. Where several answers have equally many members
    behind them, the one with more votes from outside the group counts, then the one with the smallest id. Raises
    EstimatorError for labels of another shape or below 0.

    >>> votes = VoteMatrix.from_triples([0, 0, 0], [0, 1, 2], [4, 4, 9], query_count=1, source_count=3)
    >>> [column.tolist() for column in collapse(votes, [0, 0, 1]).triples()]
    [[0, 0], [0, 1], [4, 9]]
    """
    label = np.asarray(groups)
    if label.shape != (votes.source_count,) or not np.issubdtype(label.dtype, np.integer) or (label < 0).any():
        raise EstimatorError(f"groups must be one whole number of 0 or more for each of {votes.source_count} sources")
    return group_votes(votes, label.astype(np.int64)).matrix(votes)


def group_votes(votes: VoteMatrix, groups: Integers) -> GroupVotes:
    """The votes of the groups (N,), as entries of the matrix's own classes."""
    group_count = int(groups.max(initial=-1)) + 1
    vote_class, group = votes.vote_class, groups[votes.source]
    of_several = np.bincount(groups, minlength=group_count)[group] > 1
    plural_class, plural_group = _pluralities(votes, vote_class[of_several], group[of_several], group_count)
    return GroupVotes(
        vote_class=np.concatenate((vote_class[~of_several], plural_class)),
        group=np.concatenate((group[~of_several], plural_group)),
        group_count=group_count,
    )


def _pluralities(
    votes: VoteMatrix, vote_class: Integers, group: Integers, group_count: int
) -> tuple[Integers, Integers]:
    """Class and group of the votes of groups with several members, given those of the members."""
    entry, members = np.unique(vote_class * group_count + group, return_counts=True)
    vote_class, group = np.divmod(entry, max(group_count, 1))
    outside = np.diff(votes.class_start)[vote_class] - members
    query = votes.class_query[vote_class].astype(np.int64)
    order = np.lexsort((vote_class, -outside, -members, group, query))
    first = order[starts(query[order]) | starts(group[order])]
    return vote_class[first], group[first]
