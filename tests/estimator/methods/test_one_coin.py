"""The models recover known parameters, their intervals cover, and numbering does not matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from estimator import StopReason, TiePolicy, VoteMatrix, estimate
from tests.estimator.synthetic import Prior, Sample, Scenario, draw
from tests.estimator.tables import Case, cases, matrix, rows
from tests.tables import for_each

Integers = NDArray[np.int64]

# The method `auto` is one of them where no sources copy.
MODELS = ["one_coin", "dawid_skene"]
SAMPLES_IN_FULL = True


def renumbered(sample: Sample, sources: Integers, queries: Integers, answers: Integers) -> VoteMatrix:
    query, source, answer = sample.votes.triples()
    return VoteMatrix.from_triples(
        queries[query],
        sources[source],
        answers[answer],
        query_count=queries.size,
        source_count=sources.size,
    )


@pytest.mark.parametrize("prior", list(Prior))
def test_bayes_finds_reliabilities_to_sampling_error(prior: Prior) -> None:
    """50 sources leave hardly an answer in doubt, so squared standardised errors have a mean of 1 ± 0.2 (a sigma),
    and 90 % of the intervals hold the truth, ± 4 points (a sigma).
    """
    sample = draw(Scenario(50, 10_000, prior), np.random.default_rng(21))
    result = estimate(sample.votes, "one_coin")
    truth = sample.true_reliability
    squares = (result.reliability - truth) ** 2 * result.vote_count / (truth * (1 - truth))
    assert 0.4 < squares.mean() < 1.6
    assert ((result.lower <= truth) & (truth <= result.upper)).mean() > 0.78
    assert result.stop_reason is StopReason.CONVERGED
    assert result.labels == pytest.approx(10, abs=2)


def test_bayes_is_unbiased_where_a_vote_elects_its_own_answer() -> None:
    """Four sources, 200 queries: agreement with the winners overestimates reliabilities, the model does not."""
    samples = [draw(Scenario(4, 200, Prior.BETA), np.random.default_rng(seed)) for seed in range(500, 506)]
    bias = {
        method: np.mean([estimate(sample.votes, method).reliability - sample.true_reliability for sample in samples])
        for method in ("iwmv", "one_coin")
    }
    assert bias["iwmv"] > 0.05
    assert abs(bias["one_coin"]) < 0.03


def test_sampled_intervals_cover() -> None:
    samples = [draw(Scenario(9, 50, Prior.BETA), np.random.default_rng(seed)) for seed in range(600, 610)]
    inside: list[bool] = []
    for sample in samples:
        result = estimate(sample.votes, "one_coin")
        assert result.stop_reason is StopReason.SAMPLED
        inside.extend((result.lower <= sample.true_reliability) & (sample.true_reliability <= result.upper))
    assert 0.82 < np.mean(inside) < 0.97  # of 90, within 2.5 sigma of 0.9


@pytest.mark.parametrize("method", ["one_coin", "dawid_skene"])
def test_the_numbering_of_sources_queries_and_answers_does_not_matter(method: str) -> None:
    sample = draw(Scenario(9, 150), np.random.default_rng(31))
    random = np.random.default_rng(1)
    sources, queries, answers = random.permutation(9), random.permutation(150), random.permutation(10)
    result = estimate(sample.votes, method)
    moved = estimate(renumbered(sample, sources, queries, answers), method)
    np.testing.assert_allclose(moved.reliability[sources], result.reliability, atol=0.02)
    sure = (result.lead > 0.1) & (result.answer >= 0)
    assert sure.mean() > 0.8
    assert (moved.answer[queries][sure] == answers[result.answer[sure]]).all()


@pytest.mark.parametrize("method", ["one_coin", "dawid_skene"])
def test_the_lead_is_a_difference_of_probabilities(method: str) -> None:
    votes = draw(Scenario(9, 60), np.random.default_rng(3)).votes
    result = estimate(votes, method)
    for query in range(votes.query_count):
        first, second, *_ = *sorted(result.posterior[votes.class_query == query], reverse=True), 0.0, 0.0
        assert result.lead[query] == pytest.approx(first - second, abs=1e-9)


@given(cases(), st.sampled_from(MODELS), st.sampled_from(TiePolicy))
@settings(max_examples=15, deadline=None)
def test_every_table_gives_a_result_in_range(case: Case, method: str, ties: TiePolicy) -> None:
    result = estimate(case.votes(), method, ties=ties)
    assert ((result.lower <= result.reliability) & (result.reliability <= result.upper)).all()
    assert ((result.lower >= 0) & (result.upper <= 1)).all()
    assert ((result.confidence >= 0) & (result.confidence <= 1 + 1e-9)).all()
    assert np.bincount(case.votes().class_query, weights=result.posterior, minlength=1).max(initial=0) <= 1 + 1e-9
    voted_for = {(query, answer) for (query, _), answer in case.table.items()}
    assert all(pair in voted_for or pair[1] == -1 for pair in enumerate(result.answer.tolist()))


@for_each("method", MODELS)
def test_unanimous_sources_are_right(method: str) -> None:
    result = estimate(matrix({(query, source): 7 for query in range(20) for source in range(5)}, 20, 5), method)
    assert (result.reliability > 0.97).all()
    assert (result.confidence > 0.99).all()
    assert result.answer.tolist() == [7] * 20


@pytest.mark.parametrize("method", MODELS)
def test_a_single_source_stays_at_the_prior(method: str) -> None:
    result = estimate(matrix({(query, 0): query for query in range(6)}, 6, 1), method)
    assert 0.4 < result.reliability[0] < 0.7
    assert result.upper[0] - result.lower[0] > 0.7
    assert result.answer.tolist() == list(range(6))


@for_each("method", MODELS)
def test_two_sources_that_disagree_tie(method: str) -> None:
    result = estimate(rows("0 1\n1 0\n0 1").votes(), method, ties=TiePolicy.NO_ANSWER)
    assert result.tied.all()
    assert result.answer.tolist() == [-1, -1, -1]
    assert result.lead.tolist() == result.confidence.tolist() == [0, 0, 0]


def test_a_source_without_votes_has_the_prior_of_the_corpus() -> None:
    sample = draw(Scenario(9, 200, Prior.BETA), np.random.default_rng(5))
    query, source, answer = sample.votes.triples()
    votes = VoteMatrix.from_triples(query, source, answer, query_count=200, source_count=10)
    result = estimate(votes, "one_coin")
    assert result.reliability[9] == pytest.approx(result.prior.mean, abs=0.02)
    assert (result.lower[9], result.upper[9]) == pytest.approx(result.prior.interval(), abs=0.06)


def test_few_votes_among_very_many_sources_are_not_sampled() -> None:
    # Each chain has a reliability of every source: 100,000 of them took minutes and 5 GiB.
    few = VoteMatrix.from_triples(
        [0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [0, 0, 1, 0, 0], query_count=2, source_count=100_000
    )
    assert estimate(few, "one_coin").stop_reason is StopReason.CONVERGED


def test_shared_errors_do_not_invert_the_reliabilities() -> None:
    """Six copies of a bad source among seven good ones: wrong votes agree more than right ones."""
    random = np.random.default_rng(17)
    truth = random.integers(10, size=400)
    wrong = (truth[:, None] + random.integers(1, 10, size=(400, 13))) % 10
    answer = np.where(random.random((400, 13)) < 0.75, truth[:, None], wrong)
    answer[:, 7:] = np.where(random.random(400) < 0.5, truth, wrong[:, 12])[:, None]
    query, source = np.divmod(np.arange(400 * 13), 13)
    votes = VoteMatrix.from_triples(query, source, answer.ravel(), query_count=400, source_count=13)
    result = estimate(votes, "one_coin")
    assert (result.reliability > 0.3).all()
    assert (result.answer == truth).mean() > 0.5
    assert result.diagnostics["none_correct"] < 0.2
