"""The estimate of copy groups as one of the sources in them."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from estimator.arrays.readings import VoteSums, statements
from estimator.arrays.types import Floats, Integers, read_only
from estimator.arrays.vote_table import VoteTable
from estimator.group_votes import group_votes
from estimator.intervals import beta_from_information, expected_information
from estimator.prior import BetaPrior, beta_interval
from estimator.result import Estimate
from estimator.source_priors import SourcePriors
from estimator.votes import VoteMatrix
from estimator.weights import log_odds


def member_estimates(votes: VoteMatrix, groups: Integers, grouped: Estimate, priors: SourcePriors | None) -> Estimate:
    """The estimate `grouped` of G groups as one of the N sources in them.

    Answers and their probabilities are those of the groups; an answer that no group votes for has probability 0. The
    rest is that of `member_figures`.
    """
    table, priors = votes.table(), priors or SourcePriors.none(votes.source_count)
    posterior = np.zeros(votes.class_count)
    posterior[np.unique(group_votes(votes, groups)[0])] = grouped.posterior
    figures = member_figures(groups, grouped, _sums(table, posterior, grouped), priors)
    return replace(
        grouped,
        reliability=read_only(figures.reliability),
        weight=read_only(figures.weight),
        vote_count=read_only(table.source_votes.astype(np.int64)),
        lower=read_only(figures.lower),
        upper=read_only(figures.upper),
        posterior=read_only(posterior),
        state=None if grouped.state is None else replace(grouped.state, reliability=figures.reliability),
        groups=read_only(groups.copy()),
    )


def _sums(table: VoteTable, right: Floats, grouped: Estimate) -> VoteSums:
    """Sums over the votes of the members, or over what of them they stated where votes may be misread."""
    sums = VoteSums.of(table, right)
    if table.read is None:
        return sums
    of_right, stated = statements(table, right, 1 / grouped.labels)
    of_right = np.minimum(of_right, stated)  # they are equal but for rounding where all is right
    squares = sums.squares * of_right / np.maximum(sums.right, 1e-300)
    # No sum of squares is less than that of equal parts, and the information would be negative.
    return VoteSums(stated, of_right, np.maximum(squares, of_right**2 / np.maximum(stated, 1e-300)))


class SourceFigures(Protocol):
    """The figures of sources, or of groups; arrays are (N,)."""

    @property
    def reliability(self) -> Floats: ...

    @property
    def weight(self) -> Floats: ...

    @property
    def lower(self) -> Floats: ...

    @property
    def upper(self) -> Floats: ...

    @property
    def prior(self) -> BetaPrior: ...


@dataclass(frozen=True, slots=True, eq=False)
class MemberFigures:
    """The figures of N members of groups; all arrays are (N,)."""

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
    own = (grouped.prior.alpha + sums.right + priors.right) / (grouped.prior.strength + sums.votes + priors.total)
    reliability = np.where(of_several, own, grouped.reliability[groups])
    information = sums.observed_information(reliability) + expected_information(reliability, grouped.prior, priors)
    ends = beta_interval(*beta_from_information(reliability, information))
    lower, upper = np.where(of_several, ends, (grouped.lower[groups], grouped.upper[groups]))
    shift = log_odds(reliability) - log_odds(grouped.reliability)[groups]
    return MemberFigures(reliability, grouped.weight[groups] + shift, lower, upper)
