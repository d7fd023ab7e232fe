"""The confusion-matrix model uses what sources say for each truth."""

import numpy as np
import pytest

from estimator import EstimatorError, VoteMatrix, estimate
from estimator.arrays.types import Integers
from tests.estimator.synthetic import Prior, Scenario, draw
from tests.estimator.tables import matrix


def two_sided(seed: int, queries: int = 400, sources: int = 12) -> tuple[VoteMatrix, Integers]:
    """Yes/no votes of sources of which half are good at recognising a no, and half a yes."""
    random = np.random.default_rng(seed)
    truth = random.integers(2, size=queries)
    right = np.where((np.arange(sources) % 2 == 0)[:, None], [0.95, 0.3], [0.45, 0.9])
    query, source = np.nonzero(random.random((queries, sources)) < 0.7)
    agrees = random.random(query.size) < right[source, truth[query]]
    answer = np.where(agrees, truth[query], 1 - truth[query])
    return VoteMatrix.from_triples(query, source, answer, query_count=queries, source_count=sources), truth


def test_confusion_uses_what_sources_say_for_each_truth() -> None:
    votes, truth = two_sided(11)
    by_class = estimate(votes, "dawid_skene")
    assert (by_class.answer == truth).mean() > (estimate(votes, "iwmv").answer == truth).mean() + 0.02
    assert (by_class.answer == truth).mean() > 0.87


def test_auto_chooses_the_model_that_drew_the_votes() -> None:
    by_class = estimate(two_sided(12)[0], "auto")
    coin = estimate(draw(Scenario(12, 400, Prior.BETA, 0.7, wrong_answers=1), np.random.default_rng(13)).votes, "auto")
    open_answers = estimate(draw(Scenario(12, 400, wrong_answers=500), np.random.default_rng(14)).votes, "auto")
    assert (by_class.method, coin.method, open_answers.method) == ("dawid_skene", "one_coin", "one_coin")
    assert "explain the votes better" in by_class.reason
    assert "explain the votes worse" in coin.reason
    assert "open" in open_answers.reason


def test_confusion_refuses_open_answers() -> None:
    votes = matrix({(query, 0): query for query in range(65)}, 65, 1)
    with pytest.raises(EstimatorError, match="use the method one_coin for open answers"):
        estimate(votes, "dawid_skene")
