"""Reliabilities and answers from votes alone, by any method."""

from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimator import prior
from estimator.ballot import Ballot, Floats
from estimator.errors import EstimatorError
from estimator.fixed_point import FixedPoint
from estimator.policies import LabelCount, Method, NegativeWeights, SilentSources, StopReason, TiePolicy
from estimator.result import Estimate
from estimator.votes import Kind, VoteMatrix, read_only
from estimator.weighted import Limits, Rules, count_votes, estimated_labels, vote_weights


def estimate(  # noqa: PLR0913 - each choice is a name the caller may set, and none needs setting
    votes: VoteMatrix,
    method: Method = Method.IWMV,
    *,
    labels: int | LabelCount | None = None,
    ties: TiePolicy = TiePolicy.SUPPORTERS,
    negative_weights: NegativeWeights = NegativeWeights.KEEP,
    silent_sources: SilentSources = SilentSources.MEAN,
    max_rounds: int = 100,
    tolerance: float = 1e-9,
    true_reliability: ArrayLike | None = None,
) -> Estimate:
    """Estimate how reliable the sources are and what the answers are.

    Iterative weighted majority vote (Li & Yu 2014; RA-RAG section 3.3). From `v_i = 1`, repeat until no `w_i` moves
    by more than `tolerance`, or `max_rounds` times:

        1. `y_j = argmax_a sum_i v_i [vote_ij = a]` over the answers voted for;
        2. `w_i = sum_j [vote_ij = y_j] / |votes of i|` and `v_i = L * w_i - 1`;

    then `y_j` once more. `labels` is L, as a number or by a policy; None is `LabelCount.SOURCES`.
    `true_reliability` (N,) is what `Method.ORACLE` weighs by. Raises EstimatorError for parameters that mean nothing.

    Each step maximises `sum_i (L w_i - 1) c_i - L n_i w_i^2 / 2` (c_i votes for the winners, n_i votes) over the
    answers or over the reliabilities, so no round lowers it, and equal answers never come back: oscillation is
    possible only where `TiePolicy.NO_ANSWER` changes which votes are judged, or by rounding.
    """
    limits = _limits(max_rounds, tolerance)
    given = _true_reliability(method, true_reliability, votes.source_count)
    ballot = Ballot.of(votes)
    ties, negative_weights = TiePolicy(ties), NegativeWeights(negative_weights)
    if labels is LabelCount.ESTIMATED:
        count = estimated_labels(ballot, ties, negative_weights, limits)
    else:
        count = _labels(labels, votes)
    rules = Rules(count, ties, negative_weights, SilentSources(silent_sources))
    if given is not None:
        end = FixedPoint(given, 1, StopReason.ONE_ROUND)
    else:
        end = count_votes(ballot, method, rules, limits)
    return _elect(votes, ballot, method, rules, end)


def _labels(labels: int | LabelCount | None, votes: VoteMatrix) -> int:
    if labels is None or isinstance(labels, LabelCount):
        return max(votes.source_count, 1)
    if labels < 1:
        message = f"labels is {labels}; a query has at least 1 possible answer"
        raise EstimatorError(message)
    return labels


def _limits(max_rounds: int, tolerance: float) -> Limits:
    if max_rounds < 1:
        message = f"max_rounds is {max_rounds}; allow at least 1 round"
        raise EstimatorError(message)
    if not 0 <= tolerance < 1:
        message = f"tolerance is {tolerance}; give how far a reliability may still move, from 0 to below 1"
        raise EstimatorError(message)
    return Limits(max_rounds, tolerance)


def _true_reliability(method: Method, given: ArrayLike | None, source_count: int) -> Floats | None:
    if (given is not None) != (method is Method.ORACLE):
        message = "true_reliability belongs to Method.ORACLE and only to it; give both or neither"
        raise EstimatorError(message)
    if given is None:
        return None
    reliability = np.array(given, dtype=np.float64)
    if reliability.shape != (source_count,):
        message = f"true_reliability has shape {reliability.shape}; give one number for each of {source_count} sources"
        raise EstimatorError(message)
    if not ((reliability >= 0) & (reliability <= 1)).all():
        message = "true_reliability must be shares from 0 to 1 without NaN"
        raise EstimatorError(message)
    return reliability


def _elect(votes: VoteMatrix, ballot: Ballot, method: Method, rules: Rules, end: FixedPoint) -> Estimate:
    """Step 3 of the paper: the answers by the final weights."""
    weight = vote_weights(method, rules, end.value)
    decision = ballot.decide(weight, rules.ties)
    elected = decision.winner >= 0
    answer = np.full(votes.query_count, -1)
    answer[ballot.query[elected]] = votes.class_answer[decision.winner[elected]]
    reason = end.stop_reason if votes.vote_count else StopReason.NO_VOTES
    agreed, judged = ballot.agreement(decision.winner)
    fitted = prior.fit(agreed, judged)
    lower, upper = fitted.posterior_interval(agreed, judged)
    if method is Method.ORACLE:
        lower, upper = end.value.copy(), end.value.copy()
    return Estimate(
        method=method,
        reliability=read_only(end.value),
        weight=read_only(weight),
        vote_count=read_only(ballot.turnout.astype(np.int64)),
        answer=read_only(answer),
        margin=read_only(_spread(ballot, ballot.margin(decision, weight), votes.query_count)),
        tied=read_only(_spread(ballot, decision.tied, votes.query_count)),
        rounds=end.rounds if votes.vote_count else 0,
        converged=reason not in {StopReason.OSCILLATING, StopReason.ROUND_LIMIT},
        stop_reason=reason,
        labels=rules.labels,
        prior=fitted,
        lower=read_only(lower),
        upper=read_only(upper),
        posterior=np.broadcast_to(np.nan, votes.class_count),
        confidence=np.broadcast_to(np.nan, votes.query_count),
        diagnostics=MappingProxyType({"prior_mean": fitted.mean, "prior_strength": fitted.strength}),
    )


def _spread(ballot: Ballot, values: NDArray[Kind], query_count: int) -> NDArray[Kind]:
    """(K,) values of the queries with votes as (M,) values of all, 0 for the others."""
    everywhere = np.zeros(query_count, dtype=values.dtype)
    everywhere[ballot.query] = values
    return everywhere
