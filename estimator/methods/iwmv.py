"""Iterative weighted majority vote: Li & Yu 2014 (arXiv:1411.4086), as RA-RAG section 3.3 (arXiv:2410.22954) has it.

From `v_i = 1`, repeat until no `w_i` moves by more than `tolerance`, or `max_rounds` times:

    1. y_j = argmax_a sum_i v_i [vote_ij = a]                     over the answers voted for
    2. w_i = sum_j [vote_ij = y_j] / |votes of i|,  v_i = L w_i - 1

then `y_j` once more. L is the number of labels, by default the number of sources.

Each step maximises `sum_i (L w_i - 1) c_i - L n_i w_i^2 / 2` (c_i votes for the winners, n_i votes) over the answers or
over the reliabilities, so no round lowers it and equal answers never come back. Oscillation is possible only where
`TiePolicy.NO_ANSWER` changes which votes are judged, or by rounding.

>>> from estimator import estimate, from_records
>>> queries = ["q1"] * 3 + ["q2"] * 3 + ["q3"] * 3
>>> named = from_records(queries, ["a", "b", "c"] * 3, ["x", "x", "y", "x", "x", "z", "x", "y", "z"])
>>> result = estimate(named.votes, "iwmv")
>>> [named.answers[answer] for answer in result.answer], result.weight.round(6).tolist()
(['x', 'x', 'x'], [2.0, 1.0, -1.0])
"""

from estimator.methods.member import EstimationMethod, Options
from estimator.methods.weighted_vote import WeightedVote
from estimator.result import Estimate
from estimator.votes import VoteMatrix
from estimator.weights import accuracy_weight


def estimate_iwmv(votes: VoteMatrix, options: Options) -> Estimate:
    """Answers and weights, each from the other until they stand still."""
    vote = WeightedVote.of(votes, options)
    end = vote.iterated()
    return vote.estimate("iwmv", end, vote.weight(end.value))


IWMV = EstimationMethod(
    name="iwmv",
    summary="iterative weighted majority vote (Li & Yu 2014, arXiv:1411.4086), as in RA-RAG",
    estimate=estimate_iwmv,
    parameters=frozenset({"labels", "ties", "negative_weights", "silent_sources", "gold", "max_rounds", "tolerance"}),
    cost="O(V) per round, less if few weights change",
    vote_weight=accuracy_weight,
)
