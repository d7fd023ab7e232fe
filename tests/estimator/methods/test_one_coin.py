"""The models that say how sure they are: known parameters are found again, and nothing that means nothing matters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from estimator import EstimatorError, StopReason, TiePolicy, VoteMatrix, estimate
from estimator.synthetic import Prior, Sample, Scenario, draw
from tests.estimator.tables import Case, cases, matrix, rows

Integers = NDArray[np.int64]

MODELS = ["auto", "bayes", "confusion"]


def two_sided(seed: int, queries: int = 400, sources: int = 12) -> tuple[VoteMatrix, Integers]:
    """Yes/no votes of sources that know a no when they see it, and of sources that know a yes."""
    random = np.random.default_rng(seed)
    truth = random.integers(2, size=queries)
    right = np.where((np.arange(sources) % 2 == 0)[:, None], [0.95, 0.3], [0.45, 0.9])
    query, source = np.nonzero(random.random((queries, sources)) < 0.7)
    agrees = random.random(query.size) < right[source, truth[query]]
    answer = np.where(agrees, truth[query], 1 - truth[query])
    return VoteMatrix.from_triples(query, source, answer, query_count=queries, source_count=sources), truth


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
    result = estimate(sample.votes, "bayes")
    truth = sample.true_reliability
    squares = (result.reliability - truth) ** 2 * result.vote_count / (truth * (1 - truth))
    assert 0.4 < squares.mean() < 1.6
    assert ((result.lower <= truth) & (truth <= result.upper)).mean() > 0.78
    assert result.stop_reason is StopReason.CONVERGED
    assert result.labels == pytest.approx(10, abs=2)


def test_bayes_is_no_optimist_where_a_vote_elects_its_own_answer() -> None:
    """Four sources, 200 queries: counting agreement with the winners flatters, the model does not."""
    samples = [draw(Scenario(4, 200, Prior.BETA), np.random.default_rng(seed)) for seed in range(500, 508)]
    bias = {
        method: np.mean([estimate(one.votes, method).reliability - one.true_reliability for one in samples])
        for method in ("iwmv", "bayes")
    }
    assert bias["iwmv"] > 0.05
    assert abs(bias["bayes"]) < 0.03


def test_sampled_intervals_cover() -> None:
    samples = [draw(Scenario(9, 50, Prior.BETA), np.random.default_rng(seed)) for seed in range(600, 610)]
    inside: list[bool] = []
    for one in samples:
        result = estimate(one.votes, "bayes")
        assert result.stop_reason is StopReason.SAMPLED
        inside.extend((result.lower <= one.true_reliability) & (one.true_reliability <= result.upper))
    assert 0.82 < np.mean(inside) < 0.97  # of 90, within 2.5 sigma of 0.9


@pytest.mark.parametrize("method", ["bayes", "confusion"])
def test_numbers_of_sources_queries_and_answers_mean_nothing(method: str) -> None:
    sample = draw(Scenario(9, 150), np.random.default_rng(31))
    random = np.random.default_rng(1)
    sources, queries, answers = random.permutation(9), random.permutation(150), random.permutation(10)
    one = estimate(sample.votes, method)
    other = estimate(renumbered(sample, sources, queries, answers), method)
    np.testing.assert_allclose(other.reliability[sources], one.reliability, atol=0.02)
    sure = (one.margin > 0.1) & (one.answer >= 0)
    assert sure.mean() > 0.8
    assert (other.answer[queries][sure] == answers[one.answer[sure]]).all()


@given(cases(), st.sampled_from(MODELS), st.sampled_from(TiePolicy))
@settings(max_examples=25, deadline=None)
def test_every_table_gives_a_result_in_range(case: Case, method: str, ties: TiePolicy) -> None:
    result = estimate(case.votes(), method, ties=ties)
    assert ((result.lower <= result.reliability) & (result.reliability <= result.upper)).all()
    assert ((result.lower >= 0) & (result.upper <= 1)).all()
    assert ((result.confidence >= 0) & (result.confidence <= 1 + 1e-9)).all()
    assert np.bincount(case.votes().class_query, weights=result.posterior, minlength=1).max(initial=0) <= 1 + 1e-9
    voted_for = {(query, answer) for (query, _), answer in case.table.items()}
    assert all(pair in voted_for or pair[1] == -1 for pair in enumerate(result.answer.tolist()))


@pytest.mark.parametrize("method", MODELS)
def test_unanimous_sources_are_believed(method: str) -> None:
    result = estimate(matrix({(query, source): 7 for query in range(20) for source in range(5)}, 20, 5), method)
    assert (result.reliability > 0.97).all()
    assert (result.confidence > 0.99).all()
    assert result.answer.tolist() == [7] * 20


@pytest.mark.parametrize("method", MODELS)
def test_one_source_stays_at_the_prior(method: str) -> None:
    result = estimate(matrix({(query, 0): query for query in range(6)}, 6, 1), method)
    assert 0.4 < result.reliability[0] < 0.7
    assert result.upper[0] - result.lower[0] > 0.7
    assert result.answer.tolist() == list(range(6))


@pytest.mark.parametrize("method", MODELS)
def test_two_who_contradict_each_other_tie(method: str) -> None:
    result = estimate(rows("0 1\n1 0\n0 1").votes(), method, ties=TiePolicy.NO_ANSWER)
    assert result.tied.all()
    assert result.answer.tolist() == [-1, -1, -1]
    assert result.margin.tolist() == result.confidence.tolist() == [0, 0, 0]


def test_a_source_without_votes_is_believed_like_the_corpus() -> None:
    sample = draw(Scenario(9, 200, Prior.BETA), np.random.default_rng(5))
    query, source, answer = sample.votes.triples()
    votes = VoteMatrix.from_triples(query, source, answer, query_count=200, source_count=10)
    result = estimate(votes, "bayes")
    assert result.reliability[9] == pytest.approx(result.prior.mean, abs=0.02)
    assert (result.lower[9], result.upper[9]) == pytest.approx(result.prior.interval(), abs=0.06)


def test_the_same_seed_samples_the_same() -> None:
    votes = draw(Scenario(4, 60), np.random.default_rng(2)).votes
    one, other, third = (estimate(votes, "bayes", seed=seed) for seed in (3, 3, 4))
    assert one.reliability.tobytes() == other.reliability.tobytes()
    assert one.reliability.tobytes() != third.reliability.tobytes()


def test_confusion_uses_what_sources_say_for_each_truth() -> None:
    votes, truth = two_sided(11)
    by_class = estimate(votes, "confusion")
    assert (by_class.answer == truth).mean() > (estimate(votes, "iwmv").answer == truth).mean() + 0.02
    assert (by_class.answer == truth).mean() > 0.87


def test_auto_takes_the_model_that_drew_the_votes() -> None:
    by_class = estimate(two_sided(12)[0], "auto")
    coin = estimate(draw(Scenario(12, 400, Prior.BETA, 0.7, wrong_answers=1), np.random.default_rng(13)).votes, "auto")
    open_answers = estimate(draw(Scenario(12, 400, wrong_answers=500), np.random.default_rng(14)).votes, "auto")
    assert (by_class.method, coin.method, open_answers.method) == ("confusion", "bayes", "bayes")
    assert "explain the votes better" in by_class.reason
    assert "explain the votes worse" in coin.reason
    assert "open" in open_answers.reason


def test_confusion_refuses_open_answers() -> None:
    votes = matrix({(query, 0): query for query in range(65)}, 65, 1)
    with pytest.raises(EstimatorError, match="use the method bayes for open answers"):
        estimate(votes, "confusion")


def test_sources_that_copy_errors_do_not_turn_the_world_upside_down() -> None:
    """Six copies of a bad source among seven good ones: wrong votes agree more than right ones, and yet."""
    random = np.random.default_rng(17)
    truth = random.integers(10, size=400)
    wrong = (truth[:, None] + random.integers(1, 10, size=(400, 13))) % 10
    answer = np.where(random.random((400, 13)) < 0.75, truth[:, None], wrong)
    answer[:, 7:] = np.where(random.random(400) < 0.5, truth, wrong[:, 12])[:, None]
    query, source = np.divmod(np.arange(400 * 13), 13)
    votes = VoteMatrix.from_triples(query, source, answer.ravel(), query_count=400, source_count=13)
    result = estimate(votes, "bayes")
    assert (result.reliability > 0.3).all()
    assert (result.answer == truth).mean() > 0.5
    assert result.diagnostics["nobody_right"] < 0.2
