"""Known parameters are recovered, a warm start ends where a cold one does, and confusion matrices use what is said."""

import numpy as np
import pytest
from numpy.typing import NDArray

from estimator import EstimatorError, VoteMatrix, estimate
from estimator.arrays.types import Integers
from tests.estimator.synthetic import CopyScenario, Prior, Sample, Scenario, draw, draw_copies
from tests.estimator.tables import matrix
from tests.tables import for_each


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


Floats = NDArray[np.float64]

METHODS = ("iwmv", "majority", "oracle")
SAMPLES_IN_FULL = True


def accuracy(sample: Sample, method: str) -> float:
    truth = sample.true_reliability if method == "oracle" else None
    return sample.accuracy(estimate(sample.votes, method, true_reliability=truth).answer)


@pytest.mark.parametrize("prior", list(Prior))
def test_reliabilities_are_recovered_to_sampling_error(prior: Prior) -> None:
    """With 50 sources nearly every answer is right, so an estimate is a count of right votes: its error over the
    binomial standard error is a standard normal number, and the mean of 50 squares is 1 up to 0.2 (one sigma).
    """
    sample = draw(Scenario(50, 20_000, prior), np.random.default_rng(20))
    result = estimate(sample.votes, "iwmv")
    assert sample.accuracy(result.answer) > 0.999
    truth = sample.true_reliability
    standard_error = np.sqrt(truth * (1 - truth) / result.vote_count)
    squares = ((result.reliability - truth) / standard_error) ** 2
    assert 0.4 < squares.mean() < 1.6
    np.testing.assert_allclose(result.reliability, truth, atol=0.025)


def test_samples_of_many_sources_with_few_votes_agree() -> None:
    """300 sources with 2.4 votes each: the chains come to the same prior, and their intervals hold."""
    sample = draw(Scenario(300, 60, Prior.BETA, coverage=0.04), np.random.default_rng(6))
    result = estimate(sample.votes, "one_coin")
    inside = (result.lower <= sample.true_reliability) & (sample.true_reliability <= result.upper)
    assert result.diagnostics["r_hat"] < 1.1
    assert inside.mean() > 0.8


def test_estimates_improve_with_queries() -> None:
    """The error of a share falls as one over the root of the number of votes: 25 times the queries, a fifth."""
    errors = [
        np.abs(estimate(sample.votes, "iwmv").reliability - sample.true_reliability).mean()
        for queries in (200, 5_000)
        for sample in [draw(Scenario(100, queries, Prior.BETA), np.random.default_rng(3))]
    ]
    assert 3.5 < errors[0] / errors[1] < 7


def resampled_means(values: Floats) -> Floats:
    """(10,000, methods) means over 20 seeds each, drawn from one row of accuracies per seed."""
    picks = np.random.default_rng(0).integers(len(values), size=(10_000, 20))
    means: Floats = values[picks].mean(axis=1)
    return means


def test_numbers_of_an_independent_implementation() -> None:
    """It measured 0.878 (weighted), 0.711 (majority) and 0.877 (oracle) at N = 9, M = 200, spammer-hammer, coverage
    0.6 and 9 wrong answers, over 20 seeds. How many hammers 20 seeds happen to draw moves all three together, so
    its numbers must lie within 99 % of our means of 20 seeds, and within 95 % of those whose majority does as well.
    """
    samples = [draw(Scenario(), np.random.default_rng(seed)) for seed in range(400)]
    means = resampled_means(np.array([[accuracy(sample, method) for method in METHODS] for sample in samples]))
    low, high = np.percentile(means, [0.5, 99.5], axis=0)
    theirs = np.array([0.878, 0.711, 0.877])
    assert ((low < theirs) & (theirs < high)).all()
    alike = means[np.abs(means[:, 1] - 0.711) < 0.01]
    assert len(alike) > 100
    low, high = np.percentile(alike, [2.5, 97.5], axis=0)
    assert ((low < theirs) & (theirs < high)).all()


def test_shared_errors_are_not_the_truth_of_a_corpus_in_which_nearly_all_is_wrong() -> None:
    """Fourteen sources, of whose errors six in ten are the same: "all wrong" explains them better."""
    random = np.random.default_rng(1)
    reliability = tuple(random.uniform(0.5, 0.85, 14))
    scenario = CopyScenario(
        reliability, (1.0,) * 14, (-1,) * 14, query_count=1_000, favourite_error=0.6, difficulty=1.5
    )
    sample = draw_copies(scenario, random)
    result = estimate(sample.votes, "one_coin")
    assert sample.accuracy(result.answer) > 0.75
    assert np.abs(result.reliability - sample.true_reliability).max() < 0.2
