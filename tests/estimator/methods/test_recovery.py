"""Known parameters are recovered, and the figures of an independent implementation are reproduced."""

import numpy as np
import pytest
from numpy.typing import NDArray

from estimator import EstimatorError, estimate
from tests.estimator.synthetic import Prior, Sample, Scenario, draw
from tests.tables import for_each

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


def test_draws_follow_the_scenario() -> None:
    sample = draw(Scenario(40, 5_000, Prior.BETA, coverage=0.6), np.random.default_rng(5))
    query, source, answer = sample.votes.triples()
    right = answer == sample.truth[query]
    assert sample.votes.vote_count / (40 * 5_000) == pytest.approx(0.6, abs=0.01)
    shares = np.bincount(source, weights=right) / np.bincount(source)
    np.testing.assert_allclose(shares, sample.true_reliability, atol=0.04)
    wrong = (answer - sample.truth[query])[~right] % 10
    np.testing.assert_allclose(np.bincount(wrong, minlength=10) / wrong.size, [0, *[1 / 9] * 9], atol=0.01)
    np.testing.assert_allclose(np.bincount(sample.truth) / 5_000, [0.1] * 10, atol=0.02)


def test_priors_draw_what_they_say() -> None:
    beta, coin = (
        draw(Scenario(4_000, 0, prior), np.random.default_rng(1)).true_reliability
        for prior in (Prior.BETA, Prior.SPAMMER_HAMMER)
    )
    assert beta.mean() == pytest.approx(0.6, abs=0.01)
    assert beta.var() == pytest.approx(6 * 4 / (10**2 * 11), abs=0.002)
    assert set(coin.tolist()) == {0.1, 0.9}
    assert coin.mean() == pytest.approx(0.5, abs=0.03)


def test_the_same_generator_draws_the_same_sample() -> None:
    first, same = (draw(Scenario(), np.random.default_rng(7)) for _ in range(2))
    assert first.votes.source.tobytes() == same.votes.source.tobytes()
    assert first.votes.class_answer.tobytes() == same.votes.class_answer.tobytes()


@for_each(
    "wrong", [{"coverage": 1.5}, {"coverage": -0.1}, {"source_count": -1}, {"query_count": -1}, {"wrong_answers": 0}]
)
def test_impossible_scenarios_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(EstimatorError):
        Scenario(**wrong)  # type: ignore[arg-type]  # coverage is no int, and mypy cannot tell the keys apart
