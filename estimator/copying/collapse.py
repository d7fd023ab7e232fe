"""One vote of a group on a query, however many members repeat it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimator.copying.layout import Floats, class_of_votes
from estimator.errors import EstimatorError
from estimator.votes import Integers, VoteMatrix, starts


@dataclass(frozen=True, slots=True, eq=False)
class GroupVotes:
    """The votes of G groups, at most one of a group on a query: W parallel entries."""

    klass: Integers
    """(W,) class of the matrix that the group votes for."""
    group: Integers
    """(W,)"""
    group_count: int

    def support(self, class_count: int) -> Floats:
        """(C,) groups that vote for every class."""
        return np.bincount(self.klass, minlength=class_count).astype(np.float64)


def collapse(votes: VoteMatrix, groups: ArrayLike) -> VoteMatrix:
    """The same queries and answers with G groups as the sources: a group votes as most of its members do.

    `groups` (N,) are labels from 0, as in `Dependence.groups`. Where several answers have as many members behind
    them, the one with more votes from outside the group counts, then the one with the smallest id. Raises
    EstimatorError for labels of another shape or below 0.
    """
    label = _labels(votes, groups)
    kept = group_votes(votes, label)
    return VoteMatrix.from_triples(
        votes.class_query[kept.klass],
        kept.group,
        votes.class_answer[kept.klass],
        query_count=votes.query_count,
        source_count=kept.group_count,
    )


def vote_shares(votes: VoteMatrix, groups: ArrayLike) -> Floats:
    """(V,) what every vote counts, in the order of `votes.triples()`, for the votes of a group on a query to count 1.

    For those who weigh votes instead of collapsing them: `1 / members of the group that vote on the query`.
    """
    group = _labels(votes, groups)[votes.source]
    query = votes.class_query[class_of_votes(votes)].astype(np.int64)
    _, place, present = np.unique(query * _count(group) + group, return_inverse=True, return_counts=True)
    share: Floats = 1.0 / present[place]
    return share


def agreement(votes: VoteMatrix, answer: ArrayLike) -> Floats:
    """(N,) share of a source's votes that are for the answers (M,), as elected by groups; NaN for one without votes.

    The reliability of a member is its own: a copier adds errors to those of its original, or mends some. A vote on a
    query without an answer (below 0) does not count.
    """
    elected = np.asarray(answer)
    if elected.shape != (votes.query_count,):
        message = f"answer must hold one id for each of {votes.query_count} queries, -1 for none"
        raise EstimatorError(message)
    klass = class_of_votes(votes)
    theirs = elected[votes.class_query][klass]
    right = np.bincount(votes.source, theirs == votes.class_answer[klass], minlength=votes.source_count)
    judged = np.bincount(votes.source, theirs >= 0, minlength=votes.source_count)
    share: Floats = np.divide(right, judged, out=np.full(votes.source_count, np.nan), where=judged > 0)
    return share


def _labels(votes: VoteMatrix, groups: ArrayLike) -> Integers:
    label = np.asarray(groups)
    if label.shape != (votes.source_count,) or not np.issubdtype(label.dtype, np.integer) or (label < 0).any():
        message = f"groups must be one whole number of 0 or more for each of {votes.source_count} sources"
        raise EstimatorError(message)
    return label.astype(np.int64)


def _count(label: Integers) -> int:
    return int(label.max(initial=-1)) + 1


def group_votes(votes: VoteMatrix, groups: Integers) -> GroupVotes:
    """The vote of every group, as entries of the matrix's own classes."""
    group_count = _count(groups)
    klass, group = class_of_votes(votes), groups[votes.source]
    several = np.bincount(groups, minlength=group_count)[group] > 1
    elected_class, elected_group = _pluralities(votes, klass[several], group[several], group_count)
    return GroupVotes(
        klass=np.concatenate((klass[~several], elected_class)),
        group=np.concatenate((group[~several], elected_group)),
        group_count=group_count,
    )


def _pluralities(votes: VoteMatrix, klass: Integers, group: Integers, group_count: int) -> tuple[Integers, Integers]:
    """Class and group of the votes of groups with several members."""
    entry, members = np.unique(klass * group_count + group, return_counts=True)
    klass, group = np.divmod(entry, max(group_count, 1))
    outside = np.diff(votes.class_start)[klass] - members
    query = votes.class_query[klass].astype(np.int64)
    order = np.lexsort((klass, -outside, -members, group, query))
    first = order[starts(query[order]) | starts(group[order])]
    return klass[first], group[first]
