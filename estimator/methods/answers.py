"""The `Estimate` from a fit to the sources: the answers, their leads and their probabilities."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from estimator.arrays.types import Floats, Scalar, read_only
from estimator.arrays.vote_table import Decision, VoteTable
from estimator.policies import StopReason, TiePolicy
from estimator.prior import BetaPrior
from estimator.result import Estimate, WarmStart
from estimator.votes import VoteMatrix


@dataclass(frozen=True, slots=True, eq=False)
class SourceFit:
    """The part of an `Estimate` that is about the sources; fields as there."""

    method: str
    reliability: Floats
    weight: Floats
    lower: Floats
    upper: Floats
    prior: BetaPrior
    rounds: int
    stop_reason: StopReason
    labels: int
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    state: WarmStart | None = None


def by_weight(votes: VoteMatrix, table: VoteTable, fit: SourceFit, decision: Decision) -> Estimate:
    """The estimate whose answers won a weighted vote."""
    unknown = np.broadcast_to(np.nan, votes.class_count), np.broadcast_to(np.nan, votes.query_count)
    return _estimate(votes, table, fit, decision, table.margin(decision, fit.weight), unknown)


def by_probability(
    votes: VoteMatrix, table: VoteTable, fit: SourceFit, right: Floats, ties: TiePolicy, tolerance: Floats | float
) -> Estimate:
    """The estimate whose answers are the most probable classes, given `right` (C,); probabilities within `tolerance`,
    a number or one for each of the K queries with votes, are tied.
    """
    decision, lead, confidence = most_probable(table, right, ties, tolerance)
    probabilities = read_only(right), read_only(_all_queries(table, confidence, votes.query_count))
    return _estimate(votes, table, fit, decision, lead, probabilities)


def most_probable(
    table: VoteTable, right: Floats, ties: TiePolicy, tolerance: Floats | float
) -> tuple[Decision, Floats, Floats]:
    """The most probable classes, given `right` (C,), as `by_probability`, leads and probabilities (K,), 0 if none."""
    decision = table.choose(right, tolerance, ties)
    lead = np.where(decision.tied, 0.0, table.lead(decision)).clip(0.0, 1.0)
    return decision, lead, np.where(decision.winner >= 0, right[decision.winner] if right.size else 0.0, 0.0)


def _estimate(
    votes: VoteMatrix,
    table: VoteTable,
    fit: SourceFit,
    decision: Decision,
    lead: Floats,
    probabilities: tuple[Floats, Floats],
) -> Estimate:
    has_winner = decision.winner >= 0
    answer = np.full(votes.query_count, -1)
    answer[table.query[has_winner]] = votes.class_answer[decision.winner[has_winner]]
    stop_reason = fit.stop_reason if votes.vote_count else StopReason.NO_VOTES
    diagnostics = {"prior_mean": fit.prior.mean, "prior_strength": fit.prior.strength, **fit.diagnostics}
    return Estimate(
        method=fit.method,
        reliability=read_only(fit.reliability),
        weight=read_only(fit.weight),
        vote_count=read_only(table.source_votes.astype(np.int64)),
        answer=read_only(answer),
        lead=read_only(_all_queries(table, lead, votes.query_count)),
        tied=read_only(_all_queries(table, decision.tied, votes.query_count)),
        rounds=fit.rounds if votes.vote_count else 0,
        converged=stop_reason not in {StopReason.OSCILLATING, StopReason.ROUND_LIMIT},
        stop_reason=stop_reason,
        labels=fit.labels,
        prior=fit.prior,
        lower=read_only(fit.lower),
        upper=read_only(fit.upper),
        posterior=probabilities[0],
        confidence=probabilities[1],
        groups=read_only(np.arange(votes.source_count)),
        diagnostics=MappingProxyType(diagnostics),
        state=fit.state,
    )


def _all_queries(table: VoteTable, values: NDArray[Scalar], query_count: int) -> NDArray[Scalar]:
    """(M,) values of all queries: (K,) values of those with votes, 0 for the others."""
    spread = np.zeros(query_count, dtype=values.dtype)
    spread[table.query] = values
    return spread
