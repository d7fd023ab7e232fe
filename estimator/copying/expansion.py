"""From independent voices back to the sources: what an estimate of groups that count once says of every member."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.vote_table import Ballot
from estimator.copying.collapse import GroupVotes
from estimator.copying.groups import CopyGroup
from estimator.intervals import beta_posterior
from estimator.methods.one_coin import State, log_odds
from estimator.prior import beta_interval
from estimator.result import Estimate
from estimator.votes import Integers, VoteMatrix, read_only

Floats = NDArray[np.float64]

_EDGE = 1e-6


def of_groups(state: State | None, groups: Integers) -> State | None:
    """The state of sources (N,) as one of their groups (G,), the mean of each."""
    if state is None:
        return None
    size = np.bincount(groups)
    return replace(state, reliability=np.bincount(groups, state.reliability) / size)


def of_sources(
    votes: VoteMatrix, kept: GroupVotes, groups: Integers, copies: tuple[CopyGroup, ...], heard: Estimate
) -> Estimate:
    """The estimate `heard` of G groups as one of the N sources in them.

    Answers, and how probable they are, are those of the groups; an answer that none of them stands by counts as given
    by nobody. A source that is alone has what its group has. The reliability of a member is its own: its votes are
    judged by those answers, around the same prior, because a copier adds errors to those of its original or mends some.
    """
    ballot = Ballot.of(votes)
    posterior = np.zeros(votes.class_count)
    posterior[np.unique(kept.klass)] = heard.posterior
    members = np.flatnonzero((np.bincount(groups) > 1)[groups])
    right = ballot.incidence.T @ posterior
    reliability, weight, lower, upper = (
        column[groups] for column in (heard.reliability, heard.weight, heard.lower, heard.upper)
    )
    shift = weight - log_odds(reliability)
    own = (heard.prior.right + right) / (heard.prior.strength + ballot.turnout)
    reliability[members] = own[members]
    weight[members] = log_odds(own[members]) + shift[members]
    beta = beta_posterior(ballot, posterior, np.clip(reliability, _EDGE, 1 - _EDGE), heard.prior, coupled=False)
    ends = _interval(members, beta, groups, heard)
    lower[members], upper[members] = np.minimum(ends[0], own[members]), np.maximum(ends[1], own[members])
    return replace(
        heard,
        reliability=read_only(reliability),
        weight=read_only(weight),
        vote_count=read_only(ballot.turnout.astype(np.int64)),
        lower=read_only(lower),
        upper=read_only(upper),
        posterior=read_only(posterior),
        state=None if heard.state is None else replace(heard.state, reliability=reliability),
        groups=read_only(groups.copy()),
        copies=copies,
    )


def told(copies: tuple[CopyGroup, ...]) -> str:
    """Which sources were heard as one, in a sentence."""
    if not copies:
        return "no sources copy, as far as their wrong answers tell"
    count = sum(len(group.members) for group in copies)
    strongest = max(copies, key=lambda group: group.log_odds)
    voices = "1 voice" if len(copies) == 1 else f"{len(copies)} voices"
    return (
        f"{count} sources that copy count as {voices}: two of them share {strongest.shared_wrong:.0f} wrong answers, "
        f"where {strongest.expected:.0f} would be expected"
    )


def _interval(
    members: Integers, beta: tuple[Floats, Floats], groups: Integers, heard: Estimate
) -> tuple[Floats, Floats]:
    """Ends for the members of groups, wider than their own votes say by as much as those of their groups are."""
    right, wrong = beta[0][members], beta[1][members]
    lower, upper = beta_interval(right, wrong)
    group = groups[members]
    count = np.bincount(group, minlength=heard.lower.size)
    usual = np.bincount(group, upper - lower, minlength=count.size) / np.maximum(count, 1)
    widening = np.maximum((heard.upper - heard.lower)[group] / usual[group], 1.0) ** 2
    return beta_interval(right / widening, wrong / widening)
