"""Which answers change if queries are left out, and what is said where most do."""

import numpy as np
import pytest

from benchmarks.poisoning.worlds import draw
from estimator import Estimate, VoteMatrix, estimate
from estimator.policies import Doubt


def _liars(count: int) -> VoteMatrix:
    """Nine honest sources of 200 queries, and liars who share 60 % of their lies."""
    return draw("lie everywhere, 60 % shared", 9, count, seed=703).votes


def test_where_liars_are_about_to_win_the_run_says_that_votes_cannot_tell() -> None:
    result = estimate(_liars(5), separate_runs=True)
    assert result.doubt is Doubt.SEPARATE_RUNS
    assert "of the answers change if some of the queries are left out" in result.reason
    assert (result.lower.max(), result.upper.min()) == (0.05, 0.95)
    assert estimate(_liars(5)).doubt is None


def test_answers_that_rest_on_few_are_told_and_nothing_else_changes() -> None:
    votes = _liars(1)
    plain, result = estimate(votes), estimate(votes, separate_runs=True)
    assert result.doubt is None
    assert np.array_equal(result.reliability, plain.reliability)
    assert plain.turned is None
    assert result.turned is not None
    assert 0 < result.diagnostics["turned"] < 0.15
    # Votes on the other queries decide these, so their own leave them open.
    assert result.confidence[result.turned > 0].mean() < result.confidence[result.turned == 0].mean() - 0.2


@pytest.mark.parametrize("queries", [30, 90])
def test_of_few_queries_nothing_is_said(queries: int) -> None:
    query, source = np.divmod(np.arange(3 * queries), 3)
    votes = VoteMatrix.from_triples(query, source, (query % 7) + (source == 0), query_count=queries, source_count=3)
    result: Estimate = estimate(votes, "majority", separate_runs=True)
    assert (result.turned is None) == (queries < 60)
