"""The next query for a source is the one whose vote is most informative."""

import numpy as np
import pytest

from estimator import EstimatorError, VoteMatrix, estimate, next_queries
from tests.estimator.synthetic import Prior, Scenario, draw
from tests.estimator.tables import matrix


def test_the_next_query_is_one_whose_answer_is_certain() -> None:
    """Five agree on query 0, they split on query 1, query 2 has no votes; source 5 has voted on query 3 alone."""
    table = {(query, source): 0 for query in (0, 4, 5, 6, 7, 8) for source in range(5)}
    table |= {(1, source): source for source in range(5)} | {(3, 5): 0, (3, 4): 0}
    votes = matrix(table, 9, 6)
    result = estimate(votes, "one_coin")
    ranked = next_queries(votes, result, 5, count=9)
    rank_of = {query: rank for rank, query in enumerate(ranked.query.tolist())}
    assert 3 not in rank_of
    assert rank_of[0] < rank_of[1]
    assert (np.diff(ranked.gain) <= 0).all()
    assert ranked.gain[0] > 0.8
    assert ranked.gain[rank_of[2]] == 0


def test_the_next_queries_narrow_the_interval_most() -> None:
    """A source of ten votes gets 60 further queries: those ranked first, or those ranked last."""
    sample = draw(Scenario(9, 600, Prior.SPAMMER_HAMMER, coverage=0.4), np.random.default_rng(7))
    query, source, answer = sample.votes.triples()
    mine = np.flatnonzero(source == 0)
    is_first = np.ones(query.size, dtype=np.bool_)
    is_first[mine[10:]] = False
    votes = VoteMatrix.from_triples(
        query[is_first], source[is_first], answer[is_first], query_count=600, source_count=9
    )
    ranked = next_queries(votes, estimate(votes, "one_coin"), 0, count=600)
    order = np.empty(600)
    order[ranked.query] = np.arange(ranked.query.size)
    by_rank = mine[10:][np.argsort(order[query[mine[10:]]])]
    widths = []
    for asked in (by_rank[:60], by_rank[-60:]):
        known = is_first.copy()
        known[asked] = True
        more = VoteMatrix.from_triples(query[known], source[known], answer[known], query_count=600, source_count=9)
        result = estimate(more, "one_coin")
        widths.append(result.upper[0] - result.lower[0])
    assert widths[0] < widths[1]


def test_an_estimate_without_probabilities_is_refused() -> None:
    votes = matrix({(0, 0): 1, (0, 1): 1}, 2, 2)
    with pytest.raises(EstimatorError, match="one_coin"):
        next_queries(votes, estimate(votes, "iwmv"), 0)
    with pytest.raises(EstimatorError, match="none of the 2"):
        next_queries(votes, estimate(votes, "one_coin"), 2)
