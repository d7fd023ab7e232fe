"""A run that starts from the last one ends where a fresh one does; and what to ask next."""

import numpy as np
import pytest

from estimator import EstimatorError, VoteMatrix, estimate, next_queries
from estimator.synthetic import Prior, Scenario, draw
from tests.estimator.tables import matrix


def split(seed: int, sources: int, queries: int, share: float) -> tuple[VoteMatrix, VoteMatrix]:
    """The first part of a corpus, and all of it; new queries and a new source are in the second."""
    votes = draw(Scenario(sources, queries, Prior.BETA), np.random.default_rng(seed)).votes
    query, source, answer = votes.triples()
    known = (query < queries * share) & (source < sources - 1)
    first = VoteMatrix.from_triples(
        query[known], source[known], answer[known], query_count=queries, source_count=sources - 1
    )
    rest = (query[~known], source[~known], answer[~known])
    return first, first.extended(*rest, source_count=sources)


@pytest.mark.parametrize("method", ["bayes", "iwmv", "majority"])
def test_a_run_from_the_last_state_equals_a_fresh_one(method: str) -> None:
    first, second = split(3, 30, 6_000, 0.9)
    fresh = estimate(second, method)
    warm = estimate(second, method, previous=estimate(first, method))
    error = (fresh.upper - fresh.lower) / 3.29
    assert (np.abs(warm.reliability - fresh.reliability) <= 0.1 * error).all()
    assert (warm.answer == fresh.answer).mean() > 0.999
    assert warm.rounds <= fresh.rounds


def test_a_small_corpus_is_sampled_anew() -> None:
    first, second = split(4, 6, 100, 0.9)
    fresh, warm = estimate(second, "bayes"), estimate(second, "bayes", previous=estimate(first, "bayes"))
    np.testing.assert_allclose(warm.reliability, fresh.reliability, atol=0.03)


def test_sources_cannot_be_taken_away() -> None:
    first, second = split(5, 6, 50, 0.9)
    with pytest.raises(EstimatorError, match="drop none"):
        estimate(first, "bayes", previous=estimate(second, "bayes"))


def test_the_next_query_is_one_whose_answer_is_known() -> None:
    """Five agree on query 0, they split on query 1, query 2 has no votes; source 5 has voted on query 3 alone."""
    table = {(query, source): 0 for query in (0, 4, 5, 6, 7, 8) for source in range(5)}
    table |= {(1, source): source for source in range(5)} | {(3, 5): 0, (3, 4): 0}
    votes = matrix(table, 9, 6)
    result = estimate(votes, "bayes")
    ranked = next_queries(votes, result, 5, count=9)
    place = {query: rank for rank, query in enumerate(ranked.query.tolist())}
    assert 3 not in place
    assert place[0] < place[1]
    assert (np.diff(ranked.gain) <= 0).all()
    assert ranked.gain[0] > 0.8
    assert ranked.gain[place[2]] == 0


def test_asking_the_next_query_narrows_the_interval_most() -> None:
    """A source of ten votes is asked 60 more: those the function names, or those it names last."""
    sample = draw(Scenario(9, 3_000, Prior.SPAMMER_HAMMER, coverage=0.4), np.random.default_rng(7))
    query, source, answer = sample.votes.triples()
    mine = np.flatnonzero(source == 0)
    known = np.ones(query.size, dtype=np.bool_)
    known[mine[10:]] = False
    votes = VoteMatrix.from_triples(query[known], source[known], answer[known], query_count=3_000, source_count=9)
    ranked = next_queries(votes, estimate(votes, "bayes"), 0, count=3_000)
    order = np.empty(3_000)
    order[ranked.query] = np.arange(ranked.query.size)
    by_rank = mine[10:][np.argsort(order[query[mine[10:]]])]
    widths = []
    for asked in (by_rank[:60], by_rank[-60:]):
        result = estimate(votes.extended(query[asked], source[asked], answer[asked]), "bayes")
        widths.append(result.upper[0] - result.lower[0])
    assert widths[0] < widths[1]


def test_an_estimate_without_probabilities_cannot_say_what_to_ask() -> None:
    votes = matrix({(0, 0): 1, (0, 1): 1}, 2, 2)
    with pytest.raises(EstimatorError, match="bayes"):
        next_queries(votes, estimate(votes), 0)
    with pytest.raises(EstimatorError, match="none of the 2"):
        next_queries(votes, estimate(votes, "bayes"), 2)
