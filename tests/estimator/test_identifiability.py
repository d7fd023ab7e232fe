"""Votes that cannot tell who is reliable: the estimate says so, and its intervals hold all the same."""

import numpy as np
import pytest

from estimator import SourcePriors, VoteMatrix, estimate
from tests.estimator.synthetic import Scenario, draw

TELLS = "cannot tell"


def shared_labels(said: np.ndarray) -> VoteMatrix:
    """Votes of every source (columns) on every query (rows), -1 where there is none."""
    query, source = np.nonzero(said >= 0)
    return VoteMatrix.from_triples(
        query, source, said[query, source], query_count=said.shape[0], source_count=said.shape[1]
    )


@pytest.mark.parametrize("method", ["auto", "bayes", "iwmv"])
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


@pytest.mark.parametrize("wrong_answers", [1, 2, 9])
@pytest.mark.parametrize("method", ["auto", "iwmv"])
def test_votes_that_tell_are_left_alone(method: str, wrong_answers: int) -> None:
    votes = draw(Scenario(9, 100, wrong_answers=wrong_answers), np.random.default_rng(0)).votes
    assert TELLS not in estimate(votes, method).reason


def test_unanimous_answers_to_open_questions_are_left_alone() -> None:
    said = np.tile(np.arange(50)[:, None], 6)
    assert TELLS not in estimate(shared_labels(said), "bayes").reason


def test_few_votes_and_outside_knowledge_are_left_alone() -> None:
    alike = np.zeros((19, 5), dtype=np.int64)
    assert TELLS not in estimate(shared_labels(alike), "bayes").reason
    many = shared_labels(np.zeros((40, 5), dtype=np.int64))
    assert TELLS in estimate(many, "bayes").reason
    assert TELLS not in estimate(many, "bayes", gold=np.full(40, -1)).reason
    priors = SourcePriors(mean=[0.8] * 5, strength=[10.0] * 5)
    assert TELLS not in estimate(many, "bayes", source_priors=priors).reason
