"""Copy groups in the place of sources: one vote of a group on a query, and from its estimate back to its members."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from estimator.arrays.sorting import starts
from estimator.arrays.types import Floats, Integers, read_only
from estimator.arrays.vote_sums import VoteSums
from estimator.errors import EstimatorError
from estimator.intervals import beta_from_information, expected_information
from estimator.prior import BetaPrior, beta_interval
from estimator.result import Estimate
from estimator.source_priors import SourcePriors
from estimator.votes import VoteMatrix
from estimator.weights import log_odds


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
    vote_class, group = group_votes(votes, label.astype(np.int64))
    return VoteMatrix.from_triples(
        votes.class_query[vote_class],
        group,
        votes.class_answer[vote_class],
        query_count=votes.query_count,
        source_count=int(label.max(initial=-1)) + 1,
    )


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


def member_estimates(votes: VoteMatrix, groups: Integers, grouped: Estimate, priors: SourcePriors | None) -> Estimate:
    """The estimate `grouped` of G groups as one of the N sources in them.

    Answers and their probabilities are those of the groups; an answer that no group votes for has probability 0. The
    rest is that of `member_figures`.
    """
    table, priors = votes.table(), priors or SourcePriors.none(votes.source_count)
    posterior = np.zeros(votes.class_count)
    posterior[np.unique(group_votes(votes, groups)[0])] = grouped.posterior
    figures = member_figures(groups, grouped, VoteSums.of(table, posterior), priors)
    return replace(
        grouped,
        reliability=read_only(figures.reliability),
        weight=read_only(figures.weight),
        vote_count=read_only(table.source_votes.astype(np.int64)),
        lower=read_only(figures.lower),
        upper=read_only(figures.upper),
        posterior=read_only(posterior),
        state=None if grouped.state is None else replace(grouped.state, reliability=figures.reliability, fit=None),
        groups=read_only(groups.copy()),
    )


class SourceFigures(Protocol):
    """What an estimate says of sources, or of groups; arrays are (N,)."""

    @property
    def reliability(self) -> Floats:
        """As in `Estimate`."""
        ...

    @property
    def weight(self) -> Floats:
        """As in `Estimate`."""
        ...

    @property
    def lower(self) -> Floats:
        """As in `Estimate`."""
        ...

    @property
    def upper(self) -> Floats:
        """As in `Estimate`."""
        ...

    @property
    def prior(self) -> BetaPrior:
        """As in `Estimate`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class MemberFigures:
    """What an estimate of groups says of their N members; all arrays are (N,)."""

    reliability: Floats
    weight: Floats
    lower: Floats
    upper: Floats


def member_figures(groups: Integers, grouped: SourceFigures, sums: VoteSums, priors: SourcePriors) -> MemberFigures:
    """The figures of the members of the groups (N,), given the sums over their own votes by the answers of the groups.

    A source that is alone has the figures of its group. The reliability of a member is its own, because a copier adds
    errors to those of its original or corrects some: its votes are judged by those answers, under the same prior. Its
    weight is that of its group, moved by as much in log odds.
    """
    of_several = (np.bincount(groups) > 1)[groups]
    own = (grouped.prior.right + sums.right + priors.right) / (grouped.prior.strength + sums.votes + priors.total)
    reliability = np.where(of_several, own, grouped.reliability[groups])
    information = sums.observed_information(reliability) + expected_information(reliability, grouped.prior, priors)
    ends = beta_interval(*beta_from_information(reliability, information))
    lower, upper = np.where(of_several, ends, (grouped.lower[groups], grouped.upper[groups]))
    shift = log_odds(reliability) - log_odds(grouped.reliability)[groups]
    return MemberFigures(reliability, grouped.weight[groups] + shift, lower, upper)
