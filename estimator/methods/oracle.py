"""The vote weighted by true reliabilities, which are given: the upper end in experiments and audits.

>>> from estimator import estimate, from_records
>>> named = from_records(["q"] * 3, ["a", "b", "c"], ["Rome", "Rome", "Oslo"])
>>> result = estimate(named.votes, "oracle", true_reliability=[0.4, 0.4, 0.95])
>>> named.answers[result.answer[0]]
'Oslo'
"""

from dataclasses import replace

from estimator.arrays.types import read_only
from estimator.errors import EstimatorError
from estimator.methods.member import EstimationMethod, Options
from estimator.methods.voting_rounds import FixedPoint
from estimator.methods.weighted_vote import WeightedVote
from estimator.policies import StopReason
from estimator.result import Estimate
from estimator.votes import VoteMatrix
from estimator.weights import accuracy_weight


def estimate_oracle(votes: VoteMatrix, options: Options) -> Estimate:
    """One vote by the weights of the true reliabilities. Raises EstimatorError where these are missing."""
    truth = options.true_reliability
    if truth is None:
        raise EstimatorError("the method oracle weighs by true_reliability; give both or neither")
    vote = WeightedVote.of(votes, options)
    result = vote.estimate("oracle", FixedPoint(truth, 1, StopReason.ONE_ROUND), vote.weight(truth))
    return replace(result, lower=read_only(truth.copy()), upper=read_only(truth.copy()))


ORACLE = EstimationMethod(
    name="oracle",
    summary="weights from true reliabilities (gold answers); for audits only",
    estimate=estimate_oracle,
    parameters=frozenset({"labels", "ties", "negative_weights", "true_reliability"}),
    cost="O(V)",
    vote_weight=accuracy_weight,
)
