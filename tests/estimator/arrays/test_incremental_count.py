"""The incremental count equals a full count, bit for bit."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from estimator import TiePolicy, VoteMatrix, estimate
from estimator.arrays import blocks
from estimator.arrays.incremental_count import IncrementalCounter
from tests.estimator.synthetic import Scenario, draw
from tests.estimator.tables import Case, cases

Floats = NDArray[np.float64]

# Weights of few values tie often; steps from far below the tolerance of a tie to far above it cross every bound.
levels = st.sampled_from([-1.0, 0.0, 0.3, 0.1 + 0.2, 1.0, 2.0])
steps = st.sampled_from([0.0, 1e-16, 1e-12, 1e-10, 2e-10, 1e-9, 1e-3, 0.25, 0.5])
signs = st.sampled_from([-1.0, 0.0, 0.0, 1.0])


@st.composite
def weight_paths(draw: st.DrawFn, source_count: int) -> list[Floats]:
    """Weights, and how they move."""
    weight = np.array(draw(st.lists(levels, min_size=source_count, max_size=source_count)), dtype=np.float64)
    path = [weight]
    for step in draw(st.lists(steps, min_size=1, max_size=6)):
        direction = draw(st.lists(signs, min_size=source_count, max_size=source_count))
        path.append(path[-1] + step * np.array(direction, dtype=np.float64))
    return path


@given(st.data(), cases(answers=4), st.sampled_from(TiePolicy))
@settings(max_examples=80)
def test_agrees_with_a_full_count_after_every_step(data: st.DataObject, case: Case, ties: TiePolicy) -> None:
    size = case.query_count
    drawn = data.draw(st.none() | st.lists(st.integers(-1, 4), min_size=size, max_size=size))
    gold = None if drawn is None else np.array(drawn, dtype=np.int64)
    table = case.votes().table(gold)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_VOTES", data.draw(st.integers(1, 9)))
        counter = IncrementalCounter(case.votes().table(gold), ties)
        assert (len(counter.table.blocks) > 0) == bool(case.table)
    for weight in data.draw(weight_paths(case.source_count)):
        full = table.decide(weight, ties)
        winners, counts = counter.winners(weight), counter.agreement(weight)
        assert winners.winner.tolist() == full.winner.tolist()
        assert winners.tied.tolist() == full.tied.tolist()
        assert [column.tolist() for column in counts] == [column.tolist() for column in table.agreement(full.winner)]
        assert counter.decide(weight).score.tobytes() == full.score.tobytes()


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


def test_only_few_queries_are_counted_again() -> None:
    votes = draw(Scenario(source_count=50, query_count=2_000, coverage=0.2), np.random.default_rng(0)).votes
    counter = IncrementalCounter(votes.table(), TiePolicy.SUPPORTERS)
    weight = np.random.default_rng(1).random(50)
    counter.winners(weight)
    counter.winners(weight + 1e-3 * np.random.default_rng(2).random(50))
    assert counter._subset is not None
    assert 0 < counter._subset.rows.size < 200
