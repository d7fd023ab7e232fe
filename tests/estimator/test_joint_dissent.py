"""Sources with a good name that lie together on a few queries."""

import numpy as np
import pytest

from benchmarks.poisoning.worlds import TARGETS, draw
from estimator import estimate
from estimator.joint_dissent import MOST_VOTES, find_dissent
from estimator.votes import VoteMatrix
from tests.estimator.synthetic import Prior, Scenario
from tests.estimator.synthetic import draw as draw_honest

GOOD = "right nine times in ten elsewhere"
ALIKE = "as good as the others elsewhere"


@pytest.mark.parametrize(("attack", "liars"), [(GOOD, 4), (ALIKE, 8)])
def test_liars_are_found_named_and_count_once(attack: str, liars: int) -> None:
    # Twice as many as won before they were looked for; `one_coin`, which does not look, adopts every lie.
    world = draw(attack, 9, liars, seed=0)

    result = estimate(world.votes, "auto")

    assert world.adoption(estimate(world.votes, "one_coin").answer) > 0.8
    assert world.adoption(result.answer) < 0.3
    group = result.dissents[0]
    assert group.members == tuple(range(9, 9 + liars))
    assert np.isin(world.targets, group.queries).sum() >= TARGETS - 2
    assert f"{liars} sources in all dissent together" in result.reason


def test_what_they_say_elsewhere_keeps_its_weight() -> None:
    world = draw(GOOD, 30, 10, seed=1)

    result = estimate(world.votes, "auto")

    # 0.9 of the votes elsewhere, none of those on the targets.
    assert result.dissents
    assert result.reliability[30:].mean() == pytest.approx(0.83, abs=0.04)
    assert (result.weight[30:] > np.median(result.weight[:30])).all()
    assert result.vote_count.tolist() == np.bincount(world.votes.source).tolist()
    assert ((result.lower <= result.reliability) & (result.reliability <= result.upper)).all()


@pytest.mark.parametrize("source_count", [9, 30])
def test_honest_sources_are_not_accused(source_count: int) -> None:
    for seed in range(4):
        scenario = Scenario(source_count, prior=Prior.BETA)
        sample = draw_honest(scenario, np.random.default_rng(seed))

        assert find_dissent(sample.votes, sample.true_reliability, scenario.wrong_answers) == []


def test_the_order_of_the_sources_does_not_matter() -> None:
    world = draw(ALIKE, 9, 5, seed=3)
    query, source, answer = world.votes.triples()
    place = np.random.default_rng(0).permutation(14)
    shuffled = VoteMatrix.from_triples(query, place[source], answer, query_count=200, source_count=14)

    group = find_dissent(shuffled, np.full(14, 0.6), 9.0)[0]

    assert group.members.tolist() == sorted(place[9:].tolist())


def test_a_majority_is_no_dissent() -> None:
    world = draw(ALIKE, 9, 14, seed=2)

    found = find_dissent(world.votes, np.full(23, 0.6), 9.0)

    assert all(2 * group.members.size < 23 for group in found)


def test_nothing_is_looked_for_without_votes_or_among_too_many() -> None:
    none = VoteMatrix.from_triples([], [], [], query_count=3, source_count=2)
    query, source = np.divmod(np.arange(MOST_VOTES + 2), 2)
    many = VoteMatrix.from_triples(query, source, source, query_count=int(query.max()) + 1, source_count=2)

    assert find_dissent(none, np.array([0.6, 0.6]), 9.0) == []
    assert find_dissent(many, np.array([0.6, 0.6]), 9.0) == []
