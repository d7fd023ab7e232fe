"""From an estimate of copy groups back to their members."""

from dataclasses import replace

import numpy as np
from scipy.special import expit

from estimator.arrays.types import Integers, read_only
from estimator.copying.collapse import GroupVotes
from estimator.result import CopyGroup, Estimate, WarmStart
from estimator.source_priors import SourcePriors
from estimator.votes import VoteMatrix
from estimator.weights import log_odds


def group_warm_start(start: WarmStart | None, groups: Integers) -> WarmStart | None:
    """The warm start of sources (N,) as one of their groups (G,), the mean of each."""
    if start is None:
        return None
    size = np.bincount(groups)
    return replace(start, reliability=np.bincount(groups, start.reliability) / size)


def member_estimates(
    votes: VoteMatrix,
    collapsed: GroupVotes,
    groups: Integers,
    copies: tuple[CopyGroup, ...],
    grouped: Estimate,
    priors: SourcePriors | None = None,
) -> Estimate:
    """The estimate `grouped` of G groups as one of the N sources in them.

    Answers and their probabilities are those of the groups; an answer that no group votes for has probability 0. A
    source that is alone has the figures of its group. The reliability of a member is its own, because a copier adds
    errors to those of its original or corrects some: its votes are judged by those answers, under the same prior. Its
    weight and the ends of its interval are those of its group, moved by as much in log odds; a member with fewer votes
    has an interval wider by the square root of the ratio.
    """
    table = votes.table()
    posterior = np.zeros(votes.class_count)
    posterior[np.unique(collapsed.vote_class)] = grouped.posterior
    priors = priors or SourcePriors.none(votes.source_count)
    right = grouped.prior.right + table.incidence.T @ posterior + priors.right
    reliability, weight, lower, upper = (
        column[groups] for column in (grouped.reliability, grouped.weight, grouped.lower, grouped.upper)
    )
    members = np.flatnonzero((np.bincount(groups) > 1)[groups])
    own = log_odds((right / (grouped.prior.strength + table.source_votes + priors.total))[members])
    of_group = log_odds(reliability[members])
    wider = np.sqrt(grouped.vote_count[groups[members]] / np.maximum(table.source_votes[members], 1)).clip(min=1)
    for end in (lower, upper):
        end[members] = expit(own + wider * (log_odds(end[members]) - of_group))
    reliability[members] = expit(own)
    weight[members] += own - of_group
    return replace(
        grouped,
        reliability=read_only(reliability),
        weight=read_only(weight),
        vote_count=read_only(table.source_votes.astype(np.int64)),
        lower=read_only(lower),
        upper=read_only(upper),
        posterior=read_only(posterior),
        state=None if grouped.state is None else replace(grouped.state, reliability=reliability, fit=None),
        groups=read_only(groups.copy()),
        copies=copies,
    )


def summary(copies: tuple[CopyGroup, ...]) -> str:
    """Which sources counted as one, in a sentence."""
    if not copies:
        return "no sources copy, as far as their agreement tells"
    count = sum(len(group.members) for group in copies)
    strongest = max(copies, key=lambda group: group.log_odds)
    voices = "1 voice" if len(copies) == 1 else f"{len(copies)} voices"
    return (
        f"{count} sources that copy count as {voices}: two of them agree in {strongest.agreement:.0%} of what both "
        f"answer, where their reliabilities explain {strongest.explained:.0%}"
    )
