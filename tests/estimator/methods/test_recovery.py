"""Known parameters are recovered, and the figures of an independent implementation are reproduced."""

import numpy as np
import pytest
from numpy.typing import NDArray

from estimator import estimate
from tests.estimator.synthetic import CopyScenario, Prior, Sample, Scenario, draw, draw_copies

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
