"""The rounds of a weighted vote, beside the same ones written down plainly."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from estimator import TiePolicy, VoteMatrix, estimate
from tests.estimator.synthetic import Scenario, draw

Floats = NDArray[np.float64]


def plain(votes: VoteMatrix, ties: TiePolicy) -> tuple[Floats, NDArray[np.int64]]:
    """The weighted vote with a full count in every round: reliabilities and winning classes."""
    table, weight = votes.table(), np.ones(votes.source_count)
    reliability, winner = weight, table.row
    for _ in range(100):
        winner = table.decide(weight, ties).winner
        agreed, judged = table.agreement(winner)
        reliability = agreed / judged
        before, weight = weight, (reliability - 1 / votes.source_count) * votes.source_count
        if np.array_equal(weight, before):
            break
    return reliability, winner


@given(st.integers(0, 10_000), st.sampled_from(TiePolicy), st.sampled_from([2, 9]))
@settings(max_examples=30, deadline=None)
def test_a_whole_run_is_the_same_to_the_last_bit(seed: int, ties: TiePolicy, wrong: int) -> None:
    scenario = Scenario(source_count=12, query_count=400, coverage=0.5, wrong_answers=wrong)
    votes = draw(scenario, np.random.default_rng(seed)).votes
    result = estimate(votes, "iwmv", ties=ties, tolerance=0)
    assume(result.converged)
    reliability, winner = plain(votes, ties)
    assert result.reliability.tobytes() == reliability.tobytes()
    assert result.answer[votes.table().query].tolist() == np.where(winner < 0, -1, votes.class_answer[winner]).tolist()
