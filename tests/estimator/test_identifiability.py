"""Votes that cannot tell who is reliable: the estimate says so, and its intervals hold all the same."""

import numpy as np
import pytest

from estimator import SourcePriors, VoteMatrix, estimate
from estimator.identifiability import doubt_of
from estimator.policies import Doubt
from tests.estimator.synthetic import Scenario, draw

TELLS = "cannot tell"
# Samples that do not agree are a doubt.
SAMPLES_IN_FULL = True


def shared_labels(said: np.ndarray) -> VoteMatrix:
    """Votes of every source (columns) on every query (rows), -1 where there is none."""
    query, source = np.nonzero(said >= 0)
    return VoteMatrix.from_triples(
        query, source, said[query, source], query_count=said.shape[0], source_count=said.shape[1]
    )


@pytest.mark.parametrize("method", ["auto", "iwmv"])
def test_where_nearly_all_say_the_same_nothing_is_known(method: str) -> None:
    """Sources repeat every claim, and most claims are false: they are right as often as claims are true."""
    random = np.random.default_rng(0)
    supports = (random.random((200, 12)) < 0.96).astype(np.int64)
    truth = random.random(200) < 0.4
    result = estimate(shared_labels(supports), method)
    right = (supports == truth[:, None]).mean(axis=0)
    assert "one answer takes 96% of all votes" in result.reason
    assert TELLS in result.reason
    assert ((result.lower <= right) & (right <= result.upper)).all()


@pytest.mark.parametrize("wrong_answers", [1, 9])
@pytest.mark.parametrize("method", ["one_coin", "iwmv"])
def test_votes_that_tell_are_left_alone(method: str, wrong_answers: int) -> None:
    votes = draw(Scenario(9, 100, wrong_answers=wrong_answers), np.random.default_rng(0)).votes
    assert TELLS not in estimate(votes, method).reason


def test_unanimous_answers_to_open_questions_are_left_alone() -> None:
    said = np.tile(np.arange(50)[:, None], 6)
    assert TELLS not in estimate(shared_labels(said), "one_coin").reason


def test_few_votes_and_votes_on_gold_are_left_alone() -> None:
    alike = np.zeros((19, 5), dtype=np.int64)
    assert TELLS not in estimate(shared_labels(alike), "one_coin").reason
    many = shared_labels(np.zeros((40, 5), dtype=np.int64))
    gold = np.full(40, -1)
    assert TELLS in estimate(many, "one_coin", gold=gold).reason
    gold[:10] = 0
    assert TELLS in estimate(many, "one_coin", gold=gold).reason
    gold[:30] = 0
    assert TELLS not in estimate(many, "one_coin", gold=gold).reason


def hammers(
    right: tuple[float, ...], query_count: int, seed: int, answers: int = 10
) -> tuple[VoteMatrix, np.ndarray, np.ndarray]:
    """Votes on 60 % of the queries, how often each source is right, and the right answers."""
    random = np.random.default_rng(seed)
    query, source = np.nonzero(random.random((query_count, len(right))) < 0.6)
    answer = np.where(random.random(query.size) < np.array(right)[source], 0, random.integers(1, answers, query.size))
    truth = random.integers(answers, size=query_count)
    votes = VoteMatrix.from_triples(
        query, source, (answer + truth[query]) % answers, query_count=query_count, source_count=len(right)
    )
    return votes, np.array(right), truth


@pytest.mark.parametrize("seed", [0, 2])
@pytest.mark.parametrize("query_count", [200, 10_000])
def test_one_good_source_among_sources_at_chance_cannot_be_seen(query_count: int, seed: int) -> None:
    """Neither in a sampled posterior nor in a fit."""
    votes, right, _ = hammers((0.58, 0.1, 0.1, 0.1, 0.1), query_count, seed)
    result = estimate(votes, "one_coin")
    assert ("r_hat" in result.diagnostics) == (query_count == 200)
    assert result.doubt is Doubt.AT_RANDOM
    assert TELLS in result.reason
    assert ((result.lower <= right) & (right <= result.upper)).all()


def test_doubt_falls_away_only_where_gold_tells() -> None:
    """One answer does not say which source is good, nor does a rating; a hundred answers do, and a rating of all."""
    votes, right, truth = hammers((0.58, 0.1, 0.1, 0.1, 0.1), 200, 0)
    few, many = (np.where(np.arange(200) < count, truth, -1) for count in (1, 100))
    weak, strong = (SourcePriors(right, np.array(strength)) for strength in ([0, 0, 0, 9, 0], [50] * 5))
    for known in ({"gold": few}, {"source_priors": weak}):
        result = estimate(votes, "one_coin", **known)
        assert result.doubt is Doubt.AT_RANDOM
        assert ((result.lower <= right) & (right <= result.upper)).all()
    assert estimate(votes, "one_coin", gold=many).doubt is None
    assert estimate(votes, "one_coin", source_priors=strong).doubt is None


def test_fits_of_labels_are_judged_by_the_same_figure() -> None:
    votes, _, truth = hammers((0.9, 0.5, 0.5, 0.5, 0.5), 200, 0, answers=2)
    assert estimate(votes, "dawid_skene").doubt is Doubt.AT_RANDOM
    assert estimate(votes, "dawid_skene", gold=truth).doubt is None
    good, *_ = hammers((0.9, 0.9, 0.9, 0.5, 0.5), 200, 0, answers=2)
    assert estimate(good, "dawid_skene").doubt is None


@pytest.mark.parametrize("seed", [1, 2])
def test_two_good_sources_can_be_seen(seed: int) -> None:
    votes, *_ = hammers((0.9, 0.9, 0.1, 0.1, 0.1), 200, seed)
    assert estimate(votes, "one_coin").doubt is None


def test_samples_that_do_not_agree_are_a_doubt() -> None:
    votes = draw(Scenario(9, 100), np.random.default_rng(0)).votes
    assert doubt_of(votes, {"r_hat": 1.9, "gain_over_chance": 3.0}) is None
    doubt, words = doubt_of(votes, {"r_hat": 2.1, "gain_over_chance": 3.0}) or (None, "")
    assert (doubt, "2.1" in words) == (Doubt.SEVERAL_FITS, True)
