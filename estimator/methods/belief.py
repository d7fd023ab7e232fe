"""What a method believes, and the election of answers by it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.vote_table import Ballot, Decision
from estimator.methods.one_coin import State
from estimator.policies import Method, StopReason, TiePolicy
from estimator.prior import BetaPrior
from estimator.result import Estimate
from estimator.votes import Kind, VoteMatrix, read_only

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """Everything about the sources that ends up in an `Estimate`, and how it was found."""

    method: Method
    reliability: Floats
    weight: Floats
    lower: Floats
    upper: Floats
    prior: BetaPrior
    rounds: int
    stop_reason: StopReason
    labels: int
    right: Floats | None = None
    """(C,) probability of every class, where the method knows any."""
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    state: State | None = None
    reason: str = ""


def elect_by_weight(votes: VoteMatrix, ballot: Ballot, belief: Belief, decision: Decision) -> Estimate:
    """An estimate whose answers are those of a vote that was counted."""
    return _estimate(votes, ballot, belief, decision, ballot.margin(decision, belief.weight))


def elect_by_probability(
    votes: VoteMatrix, ballot: Ballot, belief: Belief, ties: TiePolicy, indistinct: Floats | float
) -> Estimate:
    """An estimate whose answers are the most probable classes; up to `indistinct`, one or (K,), apart they are tied."""
    if belief.right is None:
        return elect_by_weight(votes, ballot, belief, ballot.decide(belief.weight, ties))
    decision = ballot.choose(belief.right, indistinct, ties)
    lead = np.where(decision.tied, 0.0, ballot.lead(decision)).clip(0.0, 1.0)
    return _estimate(votes, ballot, belief, decision, lead)


def _estimate(votes: VoteMatrix, ballot: Ballot, belief: Belief, decision: Decision, margin: Floats) -> Estimate:
    elected = decision.winner >= 0
    answer = np.full(votes.query_count, -1)
    answer[ballot.query[elected]] = votes.class_answer[decision.winner[elected]]
    reason = belief.stop_reason if votes.vote_count else StopReason.NO_VOTES
    posterior, confidence = _probabilities(votes, ballot, belief, decision)
    return Estimate(
        method=belief.method,
        reliability=read_only(belief.reliability),
        weight=read_only(belief.weight),
        vote_count=read_only(ballot.turnout.astype(np.int64)),
        answer=read_only(answer),
        margin=read_only(_spread(ballot, margin, votes.query_count)),
        tied=read_only(_spread(ballot, decision.tied, votes.query_count)),
        rounds=belief.rounds if votes.vote_count else 0,
        converged=reason not in {StopReason.OSCILLATING, StopReason.ROUND_LIMIT},
        stop_reason=reason,
        labels=belief.labels,
        prior=belief.prior,
        lower=read_only(belief.lower),
        upper=read_only(belief.upper),
        posterior=posterior,
        confidence=confidence,
        groups=read_only(np.arange(votes.source_count)),
        diagnostics=MappingProxyType(_diagnostics(belief)),
        state=belief.state,
        reason=belief.reason,
    )


def _diagnostics(belief: Belief) -> dict[str, float]:
    return {"prior_mean": belief.prior.mean, "prior_strength": belief.prior.strength, **belief.diagnostics}


def _probabilities(votes: VoteMatrix, ballot: Ballot, belief: Belief, decision: Decision) -> tuple[Floats, Floats]:
    if belief.right is None:
        return np.broadcast_to(np.nan, votes.class_count), np.broadcast_to(np.nan, votes.query_count)
    sure = np.where(decision.winner >= 0, belief.right[decision.winner] if belief.right.size else 0.0, 0.0)
    return read_only(belief.right), read_only(_spread(ballot, sure, votes.query_count))


def _spread(ballot: Ballot, values: NDArray[Kind], query_count: int) -> NDArray[Kind]:
    """(K,) values of the queries with votes as (M,) values of all, 0 for the others."""
    everywhere = np.zeros(query_count, dtype=values.dtype)
    everywhere[ballot.query] = values
    return everywhere
