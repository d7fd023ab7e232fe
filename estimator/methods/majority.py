"""Majority vote: every source weighs 1, and its reliability is its share of votes for the majority's answers.

>>> from estimator import estimate, from_records
>>> named = from_records(["q1"] * 3 + ["q2"] * 2, ["a", "b", "c", "a", "c"], ["Oslo", "Oslo", "Rome", "Bern", "Bern"])
>>> result = estimate(named.votes, "majority")
>>> [named.answers[answer] for answer in result.answer], result.reliability.tolist()
(['Oslo', 'Bern'], [1.0, 1.0, 0.5])
"""

import numpy as np

from estimator.methods.member import EstimationMethod, Options
from estimator.methods.weighted_vote import WeightedVote
from estimator.result import Estimate
from estimator.votes import VoteMatrix
from estimator.weights import accuracy_weight


def estimate_majority(votes: VoteMatrix, options: Options) -> Estimate:
    """One vote in which every source weighs 1."""
    vote = WeightedVote.of(votes, options)
    return vote.estimate("majority", vote.majority(), np.ones(votes.source_count))


MAJORITY = EstimationMethod(
    name="majority",
    summary="every source has weight 1",
    estimate=estimate_majority,
    parameters=frozenset({"labels", "ties", "silent_sources", "gold"}),
    cost="O(V)",
    vote_weight=accuracy_weight,
)
