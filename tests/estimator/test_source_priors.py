"""Priors of sources count as further votes: they lead where votes are few and yield to many."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import EstimatorError, SourcePriors, VoteMatrix, estimate, prior
from estimator.prior import CREDIBILITY, BetaPrior, beta_from_moments, beta_interval, fit_prior
from tests.estimator.synthetic import CopyScenario, Prior, Scenario, draw, draw_copies
from tests.estimator.tables import rows
from tests.tables import for_each

# The method `auto` is one of them where no sources copy.
MODELS = ["one_coin", "dawid_skene"]


def only(source: int, mean: float, strength: float, count: int) -> SourcePriors:
    """A prior for one of `count` sources."""
    chosen = np.arange(count) == source
    return SourcePriors(np.where(chosen, mean, 0.0), np.where(chosen, strength, 0.0))


@for_each("method", MODELS)
def test_a_prior_decides_between_two_sources_that_always_disagree(method: str) -> None:
    votes = rows("0 1\n1 0\n0 1\n1 0\n0 1\n1 0\n0 1\n1 0").votes()
    trusted = estimate(votes, method, source_priors=SourcePriors([0.2, 0.9], [10, 10]))
    assert trusted.answer.tolist() == [1, 0] * 4
    assert trusted.reliability[1] > 0.7
    assert trusted.reliability[0] < 0.4


@pytest.mark.parametrize("method", MODELS)
def test_many_votes_outweigh_a_wrong_prior(method: str) -> None:
    sample = draw(Scenario(9, 500, Prior.BETA, wrong_answers=3), np.random.default_rng(2))
    wrong = SourcePriors(1 - sample.true_reliability, np.full(9, 5.0))
    result = estimate(sample.votes, method, source_priors=wrong)
    assert result.reliability == pytest.approx(sample.true_reliability, abs=0.06)


@pytest.mark.parametrize("fitted", [False, True])
def test_many_votes_outweigh_priors_that_turn_good_and_bad_round(fitted: bool, request: pytest.FixtureRequest) -> None:
    """Sampled and fitted, the mirror image to which the priors point is left."""
    if fitted:
        request.getfixturevalue("too_large_to_sample")
    sample = draw(Scenario(9, 400), np.random.default_rng(1))
    wrong = SourcePriors(1 - sample.true_reliability, np.full(9, 10.0))
    plain, misled = (estimate(sample.votes, "one_coin", source_priors=priors).answer for priors in (None, wrong))
    assert (misled == sample.truth).mean() > (plain == sample.truth).mean() - 0.03


@pytest.mark.parametrize("method", MODELS)
def test_a_source_without_votes_has_its_prior(method: str) -> None:
    sample = draw(Scenario(9, 200, Prior.BETA, wrong_answers=3), np.random.default_rng(5))
    query, source, answer = sample.votes.triples()
    votes = VoteMatrix.from_triples(query, source, answer, query_count=200, source_count=10)
    result = estimate(votes, method, source_priors=only(9, 0.95, 100, 10))
    plain = estimate(votes, method)
    assert result.reliability[9] > 0.9 > plain.reliability[9]
    assert result.upper[9] - result.lower[9] < (plain.upper[9] - plain.lower[9]) / 2


def test_a_stronger_prior_moves_a_reliability_further() -> None:
    votes = draw(Scenario(9, 60, Prior.BETA), np.random.default_rng(6)).votes
    priors = [only(0, 0.05, strength, 9) for strength in (0, 5, 50, 500)]
    reliabilities = [estimate(votes, "one_coin", source_priors=prior).reliability[0] for prior in priors]
    assert reliabilities == sorted(reliabilities, reverse=True)
    assert reliabilities[-1] < 0.15


@for_each("method", ["iwmv", "majority", "wawa"])
def test_methods_that_count_votes_ignore_priors(method: str) -> None:
    votes = draw(Scenario(9, 60), np.random.default_rng(7)).votes
    plain, same = (estimate(votes, method, source_priors=priors) for priors in (None, only(0, 1.0, 1e6, 9)))
    assert plain.reliability.tobytes() == same.reliability.tobytes()


def test_a_copy_group_has_the_mean_prior_of_its_rated_members() -> None:
    priors = SourcePriors([0.9, 0.5, 0.0, 0.3], [10, 30, 0, 4])
    grouped = priors.grouped(np.array([0, 0, 0, 1]))
    assert grouped.right.tolist() == pytest.approx([12.0, 1.2])
    assert grouped.total.tolist() == [20.0, 4.0]


def test_the_prior_of_a_member_of_a_copy_group_moves_that_member_most() -> None:
    scenario = CopyScenario((0.75,) * 5 + (0.35,) * 3, (1.0,) * 8, copies=(-1,) * 6 + (5, 5))
    votes = draw_copies(scenario, np.random.default_rng(0)).votes
    plain, rated = (estimate(votes, "auto", source_priors=priors) for priors in (None, only(7, 0.0, 300, 8)))
    assert len(plain.copies) == len(rated.copies) == 1
    assert rated.reliability[7] < rated.reliability[6] - 0.1
    assert rated.reliability[7] < plain.reliability[7] - 0.1


@for_each(
    ("mean", "strength"),
    [([0.5], [1, 2]), ([[0.5]], [[1]]), ([1.1], [1]), ([-0.1], [1]), ([np.nan], [1]), ([0.5], [-1]), ([0.5], [np.inf])],
)
def test_numbers_out_of_range_are_refused(mean: list[float], strength: list[float]) -> None:
    with pytest.raises(EstimatorError, match="source priors have"):
        SourcePriors(mean, strength)


def test_priors_of_other_sources_are_refused() -> None:
    with pytest.raises(EstimatorError, match="source_priors are those of 3 sources"):
        estimate(rows("0 1").votes(), "one_coin", source_priors=SourcePriors.none(3))


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
