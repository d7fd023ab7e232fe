"""A run that starts from the last one ends where a fresh one does."""

import numpy as np
import pytest

from estimator import EstimatorError, VoteMatrix, estimate
from tests.estimator.synthetic import Prior, Scenario, draw
from tests.tables import for_each


def split(seed: int, sources: int, queries: int, share: float) -> tuple[VoteMatrix, VoteMatrix]:
    """The first part of a corpus, and all of it; new queries and a new source are in the second."""
    votes = draw(Scenario(sources, queries, Prior.BETA), np.random.default_rng(seed)).votes
    query, source, answer = votes.triples()
    is_first = (query < queries * share) & (source < sources - 1)
    first = VoteMatrix.from_triples(
        query[is_first], source[is_first], answer[is_first], query_count=queries, source_count=sources - 1
    )
    return first, votes


@pytest.mark.usefixtures("too_large_to_sample")
@for_each("method", ["one_coin", "iwmv", "majority"])
def test_a_warm_start_ends_where_a_fresh_run_does(method: str) -> None:
    first, second = split(3, 30, 1_500, 0.9)
    fresh = estimate(second, method)
    warm = estimate(second, method, previous=estimate(first, method))
    error = (fresh.upper - fresh.lower) / 3.29
    assert (np.abs(warm.reliability - fresh.reliability) <= 0.1 * error).all()
    assert (warm.answer == fresh.answer).mean() > 0.999
    assert warm.rounds <= fresh.rounds


def test_a_small_corpus_is_sampled_anew() -> None:
    first, second = split(4, 6, 100, 0.9)
    fresh, warm = estimate(second, "one_coin"), estimate(second, "one_coin", previous=estimate(first, "one_coin"))
    np.testing.assert_allclose(warm.reliability, fresh.reliability, atol=0.03)


def test_fewer_sources_than_before_are_refused() -> None:
    first, second = split(5, 6, 50, 0.9)
    with pytest.raises(EstimatorError, match="drop none"):
        estimate(first, "one_coin", previous=estimate(second, "one_coin"))
