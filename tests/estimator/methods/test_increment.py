"""A run with few further votes looks at the queries that got them, and gives what a run over all votes gives."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from estimator import Estimate, EstimatorError, TiePolicy, VoteMatrix, estimate
from estimator.synthetic import CopyScenario, Prior, Scenario, draw, draw_copies

QUERIES, SOURCES = 4_000, 30


@pytest.fixture(scope="module")
def votes() -> VoteMatrix:
    return draw(Scenario(SOURCES, QUERIES, Prior.BETA), np.random.default_rng(3)).votes


def parts(votes: VoteMatrix, cuts: tuple[float, ...]) -> list[VoteMatrix]:
    """The votes on the first queries up to each share of them, every matrix extending the one before."""
    query, source, answer = votes.triples()
    edges = [0, *(int(cut * votes.query_count) for cut in cuts)]
    matrices: list[VoteMatrix] = []
    for low, high in pairwise(edges):
        columns = [column[(query >= low) & (query < high)] for column in (query, source, answer)]
        counts = {"query_count": votes.query_count, "source_count": votes.source_count}
        make = matrices[-1].extended if matrices else VoteMatrix.from_triples
        matrices.append(make(*columns, **counts))
    return matrices


@cache
def over_all(votes: VoteMatrix, method: str) -> Estimate:
    """An estimate from all votes at once, which several tests need."""
    return estimate(votes, method)


def looked_at_all(result: Estimate, votes: VoteMatrix) -> bool:
    assert result.state is not None
    return result.state.fit is None or result.state.fit.full_count == votes.vote_count


def assert_same(result: Estimate, fresh: Estimate) -> None:
    error = (fresh.upper - fresh.lower) / 3.29
    assert (np.abs(result.reliability - fresh.reliability) <= 0.1 * error).all()
    assert (np.abs(result.lower - fresh.lower) <= 0.2 * error).all()
    assert (result.answer == fresh.answer).mean() > 0.999
    np.testing.assert_allclose(result.posterior, fresh.posterior, atol=0.05)
    np.testing.assert_allclose(result.confidence, fresh.confidence, atol=0.05)
    np.testing.assert_allclose(result.weight, fresh.weight, atol=0.05)
    np.testing.assert_array_equal(result.vote_count, fresh.vote_count)
    assert result.diagnostics["log_evidence"] == pytest.approx(fresh.diagnostics["log_evidence"], rel=1e-3)
    assert result.diagnostics["nobody_right"] == pytest.approx(fresh.diagnostics["nobody_right"], abs=1e-3)


@pytest.mark.parametrize("method", ["bayes", "auto"])
def test_new_queries_give_what_a_run_over_all_votes_gives(votes: VoteMatrix, method: str) -> None:
    first, second = parts(votes, (0.99, 1.0))
    result = estimate(second, method, previous=estimate(first, method))
    assert not looked_at_all(result, second)
    assert_same(result, over_all(votes, method))


def test_further_votes_on_old_queries_count_too(votes: VoteMatrix) -> None:
    columns = votes.triples()
    random = np.random.default_rng(0)
    is_last = (random.random(QUERIES) < 0.15)[columns[0]] & (random.random(votes.vote_count) < 0.07)
    first = VoteMatrix.from_triples(
        *(column[~is_last] for column in columns), query_count=QUERIES, source_count=SOURCES
    )
    second = first.extended(*(column[is_last] for column in columns))
    result = estimate(second, "auto", previous=estimate(first, "auto"))
    assert not looked_at_all(result, second)
    assert_same(result, over_all(votes, "auto"))


def test_increments_follow_each_other_until_a_twentieth_is_new(votes: VoteMatrix) -> None:
    matrices = parts(votes, (0.94, 0.95, 0.96, 0.97, 1.0))
    result = estimate(matrices[0], "auto")
    for matrix in matrices[1:-1]:
        result = estimate(matrix, "auto", previous=result)
        assert not looked_at_all(result, matrix)
    assert_same(result, estimate(matrices[-2], "auto"))
    result = estimate(matrices[-1], "auto", previous=result)
    assert looked_at_all(result, matrices[-1])
    assert_same(result, over_all(votes, "auto"))


def test_auto_looks_at_all_votes_when_a_source_is_new(votes: VoteMatrix) -> None:
    query, source, answer = votes.triples()

    def with_copier(queries: int) -> VoteMatrix:
        copied = (source == 0) & (query < queries)
        copier = np.full(np.count_nonzero(copied), SOURCES)
        return votes.extended(query[copied], copier, answer[copied], source_count=SOURCES + 1)

    result = estimate(with_copier(300), "bayes", previous=over_all(votes, "bayes"))
    assert not looked_at_all(result, with_copier(300))
    assert result.reliability.shape == (SOURCES + 1,)
    copies = estimate(with_copier(QUERIES), "auto", previous=over_all(votes, "auto")).copies
    assert [group.members for group in copies] == [(0, SOURCES)]


def test_after_copies_were_found_all_votes_are_looked_at() -> None:
    scenario = CopyScenario((0.7,) * 12, (0.9,) * 12, (-1,) * 10 + (0, 1), 0.98, 1_500)
    first, second = parts(draw_copies(scenario, np.random.default_rng(0)).votes, (0.99, 1.0))
    before = estimate(first, "auto")
    assert len(before.copies) == 2
    assert before.state is not None
    assert before.state.fit is None
    assert len(estimate(second, "auto", previous=before).copies) == 2


def test_a_source_that_moves_far_makes_a_run_look_at_all_votes(votes: VoteMatrix) -> None:
    """Four hundred wrong answers of a source that was good: its earlier votes weigh less now, too."""
    good = int(np.argmax(over_all(votes, "bayes").reliability))
    others = [source for source in range(SOURCES) if source != good][:6]
    query = np.repeat(np.arange(QUERIES, QUERIES + 400), 7)
    source, answer = np.tile([good, *others], 400), np.tile([8, *[7] * 6], 400)
    second = votes.extended(query, source, answer, query_count=QUERIES + 400)
    result = estimate(second, "bayes", previous=over_all(votes, "bayes"))
    assert looked_at_all(result, second)


@pytest.mark.parametrize("changed", [{"ties": TiePolicy.NO_ANSWER}, {"gold": np.zeros(QUERIES, dtype=np.int64)}])
def test_what_else_changed_makes_a_run_look_at_all_votes(votes: VoteMatrix, changed: dict[str, Any]) -> None:
    first, second = parts(votes, (0.99, 1.0))
    assert looked_at_all(estimate(second, "bayes", previous=estimate(first, "bayes"), **changed), second)


def test_votes_that_extend_others_than_those_of_the_last_run_are_all_looked_at(votes: VoteMatrix) -> None:
    first, second = parts(votes, (0.99, 1.0))
    twin = replace(first, identity=object())
    assert looked_at_all(estimate(second, "bayes", previous=estimate(twin, "bayes")), second)


def test_extending_gives_the_votes_sorted(votes: VoteMatrix) -> None:
    columns = votes.triples()
    mixed = np.random.default_rng(1).permutation(votes.vote_count)
    for share in (0.4, 0.999):
        low, high = np.split(mixed, [int(share * mixed.size)])
        counts = {"query_count": QUERIES, "source_count": SOURCES}
        first = VoteMatrix.from_triples(*(column[low] for column in columns), **counts)
        second = first.extended(*(column[high] for column in columns))
        for name in ("source", "class_start", "class_query", "class_answer"):
            np.testing.assert_array_equal(getattr(second, name), getattr(votes, name))


def test_counts_only_grow(votes: VoteMatrix) -> None:
    with pytest.raises(EstimatorError, match="only grow"):
        votes.extended([0], [0], [0], source_count=SOURCES - 1)
