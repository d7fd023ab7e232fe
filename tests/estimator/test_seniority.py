"""Sources that came later and turn most of what the older ones say."""

import numpy as np
import pytest

from benchmarks.poisoning.worlds import World, draw
from estimator import Estimate, VoteMatrix, estimate
from estimator.errors import EstimatorError
from estimator.joint_dissent import MOST_VOTES
from estimator.seniority import find_newer_dissent

EVERYWHERE = "lie everywhere, 60 % shared"


def one_a_day(world: World) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Days on which the sources came, liars last."""
    return np.arange(world.votes.source_count, dtype=np.float64)


@pytest.mark.parametrize(("honest", "liars"), [(9, 13), (30, 60)])
def test_liars_who_come_later_and_win_everywhere_are_pooled_and_named(honest: int, liars: int) -> None:
    world = draw(EVERYWHERE, honest, liars, seed=501)

    without, result = estimate(world.votes), estimate(world.votes, registered=one_a_day(world))

    assert world.adoption(without.answer) > 0.9
    assert world.adoption(result.answer) < 0.1
    assert world.accuracy(result.answer) > 0.85
    (group,) = result.dissents
    # Who came before half of all had come is old.
    newer = set(range((honest + liars) // 2, honest + liars))
    assert set(group.members) <= newer
    assert len(group.members) >= len(newer) - 1
    assert group.log_odds > 100
    assert "sources that came later in all dissent together" in result.reason
    assert result.reliability[:honest].mean() > 0.5
    assert result.reliability[list(group.members)].mean() < 0.2


@pytest.mark.parametrize(("honest", "seed"), [(18, 0), (18, 1), (30, 0), (60, 0)])
def test_honest_newcomers_change_nothing(honest: int, seed: int) -> None:
    world = draw(EVERYWHERE, honest, 0, seed)

    assert_same(estimate(world.votes), estimate(world.votes, registered=one_a_day(world)))


def test_sources_of_one_age_and_few_queries_have_no_seniority() -> None:
    world = draw(EVERYWHERE, 9, 13, seed=501)
    few, _ = world.votes.of_queries(np.arange(world.votes.query_count) < 59)

    assert_same(estimate(world.votes), estimate(world.votes, registered=np.zeros(22)))
    assert_same(estimate(few), estimate(few, registered=one_a_day(world)))


def test_few_liars_who_were_there_first_gain_nothing() -> None:
    world = draw(EVERYWHERE, 9, 5, seed=501)
    days = (one_a_day(world) + 5) % 14

    assert_same(estimate(world.votes), estimate(world.votes, registered=days))


def test_right_answers_decide_for_those_who_came_later() -> None:
    # The same votes, read the other way around: those who were there first lie.
    world = draw(EVERYWHERE, 9, 13, seed=501)
    gold = np.full(world.votes.query_count, -1)
    gold[:20] = world.lie[:20]

    pooled, result = (estimate(world.votes, registered=one_a_day(world), gold=answers) for answers in (None, gold))

    assert float((pooled.answer == world.lie).mean()) < 0.1
    assert float((result.answer == world.lie).mean()) > 0.9
    assert result.dissents == ()


def test_among_too_many_votes_nothing_is_looked_for() -> None:
    query, source = np.divmod(np.arange(MOST_VOTES + 10), 10)
    votes = VoteMatrix.from_triples(query, source, source, query_count=int(query.max()) + 1, source_count=10)

    def refit(_older: VoteMatrix) -> Estimate:
        raise AssertionError

    assert find_newer_dissent(votes, np.arange(10.0), np.zeros(votes.query_count, dtype=np.int64), refit) is None


def test_a_time_is_needed_for_every_source() -> None:
    world = draw(EVERYWHERE, 9, 1, seed=0)

    for times in (np.zeros(9), np.full(10, np.nan)):
        with pytest.raises(EstimatorError, match="registered must be a number for each of 10 sources"):
            estimate(world.votes, registered=times)


def assert_same(first: Estimate, second: Estimate) -> None:
    """To the last bit."""
    assert np.array_equal(first.answer, second.answer)
    assert np.array_equal(first.reliability, second.reliability)
    assert first.dissents == second.dissents
