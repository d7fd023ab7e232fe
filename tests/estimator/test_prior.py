"""The prior of a corpus is recovered, and intervals cover."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import prior
from estimator.prior import CREDIBILITY, BetaPrior, beta_from_moments, beta_interval, fit_prior
from tests.tables import for_each


@for_each(("right", "wrong"), [(6.0, 4.0), (0.8, 0.8), (20.0, 2.0)])
def test_the_prior_of_many_sources_is_recovered(right: float, wrong: float) -> None:
    random = np.random.default_rng(3)
    judged = random.integers(20, 200, size=500)
    counts = random.binomial(judged, random.beta(right, wrong, size=500))
    prior_fit = fit_prior(counts.astype(float), judged.astype(float))
    assert prior_fit.mean == pytest.approx(right / (right + wrong), abs=0.03)
    assert prior_fit.strength == pytest.approx(right + wrong, rel=0.3)


def test_without_votes_the_prior_is_wide() -> None:
    prior_fit = fit_prior(np.zeros(3), np.zeros(3))
    assert 0.5 < prior_fit.mean < 0.65
    lower, upper = prior_fit.interval()
    assert upper - lower > 0.5


def test_intervals_cover() -> None:
    """Reliabilities drawn from Beta(6, 4), counts drawn from them: 90 % of 4,000 intervals hold theirs (± 3 sigma)."""
    random = np.random.default_rng(8)
    truth, judged = random.beta(6, 4, size=4_000), random.integers(0, 30, size=4_000)
    right = random.binomial(judged, truth)
    lower, upper = BetaPrior(6, 4).posterior_interval(right.astype(float), judged.astype(float))
    assert ((lower <= truth) & (truth <= upper)).mean() == pytest.approx(CREDIBILITY, abs=0.015)


@given(st.floats(0.01, 0.99), st.floats(1e-4, 0.99))
def test_a_beta_distribution_has_the_moments_asked_for(mean: float, share: float) -> None:
    variance = mean * (1 - mean) * share
    alpha, beta = beta_from_moments(np.array([mean]), np.array([variance]))
    total = alpha + beta
    np.testing.assert_allclose(
        [alpha / total, alpha * beta / (total**2 * (total + 1))], [[mean], [variance]], rtol=1e-2
    )


def test_few_votes_shrink_to_the_prior() -> None:
    belief = BetaPrior(6, 4)
    lower, upper = belief.posterior_interval(np.array([0.0, 1.0, 100.0]), np.array([0.0, 1.0, 100.0]))
    assert (lower[0], upper[0]) == pytest.approx(belief.interval())
    assert (np.diff(lower) > 0).all()
    assert upper[1] < 1


def test_priors_drawn_from_reliabilities_resemble_them() -> None:
    random = np.random.default_rng(4)
    alpha, beta = prior.draw_priors(random.beta(8, 2, size=(300, 50)), np.empty((0, 50)), np.empty(0), random)
    assert (alpha / (alpha + beta)).mean() == pytest.approx(0.8, abs=0.03)
    loose_alpha, loose_beta = prior.draw_hyperprior(2_000, random)
    assert (loose_alpha / (loose_alpha + loose_beta)).std() > 0.15


def test_priors_drawn_from_counts_have_the_posterior_of_the_fit() -> None:
    random = np.random.default_rng(4)
    judged = random.integers(1, 4, size=40).astype(np.float64)
    votes = random.binomial(judged.astype(int), 0.7).astype(np.float64)
    alpha, beta = prior.draw_priors(np.empty((0, 3_000)), np.tile(votes[:, None], 3_000), judged, random)
    assert (alpha / (alpha + beta)).mean() == pytest.approx(prior.fit_prior(votes, judged).mean, abs=0.01)


def test_interval_ends_are_the_quantiles() -> None:
    """A number of Beta(3, 5) is below x as often as 3 or more of 7 throws of probability x succeed."""
    ends = np.concatenate(beta_interval(np.array([3.0]), np.array([5.0])))
    below = sum(comb(7, hits) * ends**hits * (1 - ends) ** (7 - hits) for hits in range(3, 8))
    np.testing.assert_allclose(below, [0.05, 0.95])
