"""Worker agreement with aggregate: one vote weighted by each source's agreement with the majority.

The baseline of that name in crowd-kit (arXiv:2109.08584).

>>> from estimator import estimate, from_records
>>> named = from_records(["q1"] * 3 + ["q2"] * 2, ["a", "b", "c", "a", "c"], ["Oslo", "Oslo", "Rome", "Bern", "Bern"])
>>> estimate(named.votes, "wawa").weight.tolist()
[1.0, 1.0, 0.5]
"""

import numpy as np

from estimator.methods.member import EstimationMethod, Options
from estimator.methods.weighted_vote import WeightedVote
from estimator.result import Estimate
from estimator.votes import VoteMatrix
from estimator.weights import accuracy_weight


def estimate_wawa(votes: VoteMatrix, options: Options) -> Estimate:
    """A majority vote, then a vote weighted by the share of agreement with it."""
    vote = WeightedVote.of(votes, options)
    majority = vote.majority()
    return vote.estimate("wawa", majority, np.nan_to_num(majority.value, nan=0.0))


WAWA = EstimationMethod(
    name="wawa",
    summary="sources weighted by their agreement with the majority",
    estimate=estimate_wawa,
    parameters=frozenset({"labels", "ties", "silent_sources", "gold"}),
    cost="O(V)",
    vote_weight=accuracy_weight,
)
