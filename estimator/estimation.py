"""Reliabilities and answers from votes alone: the iterative weighted majority vote, and what it is compared with."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimator.ballot import Ballot, Flags, Floats
from estimator.errors import EstimatorError
from estimator.fixed_point import FixedPoint, iterate
from estimator.policies import Method, NegativeWeights, SilentSources, StopReason, TiePolicy
from estimator.votes import Integers, Kind, VoteMatrix, read_only


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """What the votes say about N sources and M queries. All arrays are read-only."""

    method: Method
    reliability: Floats
    """(N,) estimated share of a source's votes that are right, in [0, 1], or NaN (`SilentSources.UNKNOWN`)."""
    weight: Floats
    """(N,) what a vote of the source counts; below 0 for a source below chance (`NegativeWeights`)."""
    vote_count: Integers
    """(N,) votes of the source."""
    answer: Integers
    """(M,) id of the winning answer; -1 where nobody voted, or a tie has no winner (`TiePolicy.NO_ANSWER`)."""
    margin: Floats
    """(M,) lead of the winner over the runner-up as a share of all |weight| on the query, in [0, 1].

    A runner-up that does not exist weighs 0. The margin is 0 for a tie, for a query without votes, and for the
    unanimous vote of sources whose weights sum to 0 or less.
    """
    tied: Flags
    """(M,) whether several answers were the heaviest, so that `TiePolicy` decided."""
    rounds: int
    """How often answers and then reliabilities were computed anew; 0 without votes."""
    converged: bool
    """Whether another round would change nothing; True for methods of one round."""
    stop_reason: StopReason
    labels: int
    """L in `v_i = L * w_i - 1`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Counts to reliabilities, reliabilities to weights."""

    labels: int
    ties: TiePolicy
    negative_weights: NegativeWeights
    silent_sources: SilentSources

    def reliability(self, agreed: Floats, judged: Floats) -> Floats:
        """`w_i = agreed_i / judged_i`, and the policy's value where nothing was judged. All (N,)."""
        share = np.divide(agreed, judged, out=np.full_like(agreed, np.nan), where=judged > 0)
        heard = share[judged > 0]
        if self.silent_sources is SilentSources.UNKNOWN:
            return share
        if self.silent_sources is SilentSources.MEAN and heard.size:
            return np.where(judged > 0, share, heard.mean())
        return np.where(judged > 0, share, 1 / self.labels)

    def weight(self, reliability: Floats) -> Floats:
        """`v_i = L * w_i - 1`; an unknown reliability weighs 0. Both (N,)."""
        # The same in this form, except that a source exactly at chance weighs 0 and not 1e-16.
        weight = np.nan_to_num((reliability - 1 / self.labels) * self.labels, nan=0.0)
        return weight.clip(min=0.0) if self.negative_weights is NegativeWeights.ZERO else weight


def estimate(  # noqa: PLR0913 - each choice is a name the caller may set, and none needs setting
    votes: VoteMatrix,
    method: Method = Method.IWMV,
    *,
    labels: int | None = None,
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

    then `y_j` once more. `labels` is L; None takes the paper's, the number of sources. `true_reliability` (N,) is
    what `Method.ORACLE` weighs by. Raises EstimatorError for parameters that mean nothing.

    Each step maximises `sum_i (L w_i - 1) c_i - L n_i w_i^2 / 2` (c_i votes for the winners, n_i votes) over the
    answers or over the reliabilities, so no round lowers it, and equal answers never come back: oscillation is
    possible only where `TiePolicy.NO_ANSWER` changes which votes are judged, or by rounding.
    """
    rules = Rules(
        _labels(labels, votes), TiePolicy(ties), NegativeWeights(negative_weights), SilentSources(silent_sources)
    )
    _require_limits(max_rounds, tolerance)
    given = _true_reliability(method, true_reliability, votes.source_count)
    ballot = Ballot.of(votes)
    if given is not None:
        end = FixedPoint(given, 1, StopReason.ONE_ROUND)
    else:
        end = _reliabilities(ballot, method, rules, max_rounds, tolerance)
    return _elect(votes, ballot, method, rules, end)


def _labels(labels: int | None, votes: VoteMatrix) -> int:
    if labels is None:
        return max(votes.source_count, 1)
    if labels < 1:
        message = f"labels is {labels}; a query has at least 1 possible answer"
        raise EstimatorError(message)
    return labels


def _require_limits(max_rounds: int, tolerance: float) -> None:
    if max_rounds < 1:
        message = f"max_rounds is {max_rounds}; allow at least 1 round"
        raise EstimatorError(message)
    if not 0 <= tolerance < 1:
        message = f"tolerance is {tolerance}; give how far a reliability may still move, from 0 to below 1"
        raise EstimatorError(message)


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


def _reliabilities(ballot: Ballot, method: Method, rules: Rules, max_rounds: int, tolerance: float) -> FixedPoint:
    """Steps 1 and 2 of the paper until they change nothing, or once for the majority."""

    def judge(weight: Floats) -> Floats:
        return rules.reliability(*ballot.agreement(ballot.decide(weight, rules.ties).winner))

    first = judge(np.ones_like(ballot.turnout))
    if method is Method.MAJORITY:
        return FixedPoint(first, 1, StopReason.ONE_ROUND)
    end = iterate(
        lambda reliability: judge(rules.weight(reliability)),
        first,
        max_rounds=max_rounds - 1,
        tolerance=tolerance,
    )
    return FixedPoint(end.value, end.rounds + 1, end.stop_reason)


def _elect(votes: VoteMatrix, ballot: Ballot, method: Method, rules: Rules, end: FixedPoint) -> Estimate:
    """Step 3 of the paper: the answers by the final weights."""
    weight = np.ones_like(end.value) if method is Method.MAJORITY else rules.weight(end.value)
    decision = ballot.decide(weight, rules.ties)
    elected = decision.winner >= 0
    answer = np.full(votes.query_count, -1)
    answer[ballot.query[elected]] = votes.class_answer[decision.winner[elected]]
    reason = end.stop_reason if votes.vote_count else StopReason.NO_VOTES
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
    )


def _spread(ballot: Ballot, values: NDArray[Kind], query_count: int) -> NDArray[Kind]:
    """(K,) values of the queries with votes as (M,) values of all, 0 for the others."""
    everywhere = np.zeros(query_count, dtype=values.dtype)
    everywhere[ballot.query] = values
    return everywhere
