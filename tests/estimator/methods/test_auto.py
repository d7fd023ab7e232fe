"""The method `auto`: copy groups count once, independent sources as before, and the result says so."""

import numpy as np
import pytest
from hypothesis import given, settings

from estimator import Estimate, VoteMatrix, estimate
from estimator.methods import auto as auto_method
from tests.estimator.copying.scenarios import copied, independent, same_groups
from tests.estimator.synthetic import CopyScenario, Scenario, draw, draw_copies
from tests.estimator.tables import Case, cases


def same(result: Estimate, expected: Estimate) -> bool:
    """Whether two estimates are equal to the last bit in all that they say of sources and answers."""
    columns = ("reliability", "weight", "lower", "upper", "answer", "lead", "tied", "posterior", "confidence")
    return all(getattr(result, name).tobytes() == getattr(expected, name).tobytes() for name in columns)


def chosen_model(votes: VoteMatrix, auto: Estimate) -> Estimate:
    return estimate(votes, auto.method)


@pytest.mark.parametrize(
    ("reliability", "more"),
    [
        ((0.8, 0.7, 0.6, 0.9) * 3, {"difficulty": 2.0, "favourite_error": 0.5}),
        ((0.8, 0.7, 0.6, 0.9) * 3, {"wrong_answers": 1}),
    ],
)
def test_without_copies_it_is_the_model_to_the_last_bit(reliability: tuple[float, ...], more: dict[str, float]) -> None:
    """Which sources copy is tested with the search for copies."""
    votes = independent(reliability, 100, **more).votes
    auto = estimate(votes, "auto")
    assert auto.copies == ()
    assert auto.groups.tolist() == list(range(votes.source_count))
    assert same(auto, chosen_model(votes, auto))
    assert auto.reason.endswith("no copies found")


@given(cases(answers=4))
@settings(max_examples=6, deadline=None)
def test_a_few_votes_are_no_evidence_of_copying(case: Case) -> None:
    votes = case.votes()
    auto = estimate(votes, "auto")
    assert auto.copies == ()
    assert same(auto, chosen_model(votes, auto))


def test_a_member_has_a_reliability_of_its_own() -> None:
    """Source 1 copies 85 % from source 0, which is seldom right, and is right in the rest."""
    scenario = CopyScenario(
        (0.3, 0.99, 0.8, 0.8, 0.8, 0.8), (1.0,) * 6, (-1, 0, -1, -1, -1, -1), copy_rate=0.85, query_count=600
    )
    sample = draw_copies(scenario, np.random.default_rng(3))
    auto = estimate(sample.votes, "auto")
    assert auto.copies[0].members == (0, 1)
    np.testing.assert_allclose(auto.reliability, sample.true_reliability, atol=0.03)
    assert auto.reliability[1] > auto.reliability[0] + 0.05
    assert (auto.lower[:2] < auto.reliability[:2]).all()
    assert (auto.reliability[:2] < auto.upper[:2]).all()
    assert auto.vote_count.tolist() == [600] * 6


def test_intervals_of_members_hold_the_truth() -> None:
    """Twelve pairs of which one copies nearly all."""
    scenario = CopyScenario((0.8,) * 6 + (0.5,) * 24, (1.0,) * 30, (-1,) * 18 + tuple(range(6, 18)), 0.95, 150)
    sample = draw_copies(scenario, np.random.default_rng(0))
    auto = estimate(sample.votes, "auto")
    assert same_groups(auto.groups, sample.groups)
    # Members err together, so these are some 12 samples: within 2.5 sigma of 0.9.
    assert np.mean((auto.lower[6:] <= 0.5) & (auto.upper[6:] >= 0.5)) > 0.7


def test_an_answer_of_a_minority_of_a_group_has_probability_zero() -> None:
    sample = copied(4, 0.9, query_count=200, seed=5)
    auto = estimate(sample.votes, "auto")
    in_all = np.bincount(sample.votes.class_query, weights=auto.posterior)
    assert auto.posterior.size == sample.votes.class_count
    assert (in_all <= 1 + 1e-9).all()
    assert (auto.posterior == 0).any()


def test_sources_biased_towards_yes_are_not_copiers() -> None:
    """Six sources answer yes four times in five whatever is true, so that they share all their errors."""
    random = np.random.default_rng(8)
    truth = random.integers(2, size=600)
    says = random.random((600, 16))
    answer = np.where(says < 0.8, truth[:, None], 1 - truth[:, None])
    answer[:, :6] = says[:, :6] < 0.8
    query, source = np.divmod(np.arange(answer.size), 16)
    votes = VoteMatrix.from_triples(query, source, answer.ravel(), query_count=600, source_count=16)
    auto = estimate(votes, "auto")
    assert auto.copies == ()
    assert (auto.answer == truth).mean() > 0.97


def test_copies_are_found_in_yes_or_no_answers_too() -> None:
    scenario = CopyScenario((0.75,) * 5 + (0.35,) * 7, (1.0,) * 12, (-1,) * 6 + (5,) * 6, 1.0, 400, wrong_answers=1)
    sample = draw_copies(scenario, np.random.default_rng(100))
    auto = estimate(sample.votes, "auto")
    assert same_groups(auto.groups, sample.groups)
    assert sample.accuracy(auto.answer) > 0.85


@pytest.mark.usefixtures("too_large_to_sample")
def test_a_warm_start_works_though_groups_changed() -> None:
    """Between the runs further votes show which sources copy, and there is a new source."""
    scenario = CopyScenario(
        tuple(np.random.default_rng(0).beta(6, 4, 30)), (0.8,) * 30, (-1,) * 26 + (0, 0, 1, 2), 0.95, 700
    )
    sample = draw_copies(scenario, np.random.default_rng(1))
    query, source, answer = sample.votes.triples()
    is_first = (query < 630) & (source < 29) & ~((source == 26) & (query > 20))
    first = VoteMatrix.from_triples(
        query[is_first], source[is_first], answer[is_first], query_count=700, source_count=29
    )
    before = estimate(first, "auto")
    fresh, warm = estimate(sample.votes, "auto"), estimate(sample.votes, "auto", previous=before)
    assert "r_hat" not in fresh.diagnostics
    assert [group.members for group in fresh.copies] == [(0, 26, 27), (1, 28), (2, 29)]
    assert [group.members for group in before.copies] == [(0, 27), (1, 28)]  # 26 has few votes yet
    assert same_groups(warm.groups, fresh.groups)
    error = (fresh.upper - fresh.lower) / 3.29
    assert (np.abs(warm.reliability - fresh.reliability) <= 0.1 * error).all()
    assert (warm.answer == fresh.answer).mean() > 0.999
    assert warm.rounds <= fresh.rounds
    assert warm.state is not None
    assert warm.state.reliability.shape == (30,)


def test_of_many_votes_a_part_says_that_confusion_matrices_gain_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """40,000 votes of one-coin sources on ten shared labels, of which at most half are looked at."""
    monkeypatch.setattr(auto_method, "_PART_VOTES", 20_000)
    sample = draw(Scenario(60, 1_200), np.random.default_rng(4))
    auto = estimate(sample.votes, "auto")
    assert auto.method == "one_coin"
    assert "a sample of the votes" in auto.reason
    assert same(auto, estimate(sample.votes, "one_coin"))


def test_of_many_votes_confused_labels_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources that take label 1 for label 2 half of the time."""
    monkeypatch.setattr(auto_method, "_PART_VOTES", 10_000)
    random = np.random.default_rng(4)
    truth = random.integers(3, size=800)
    confused = (truth[:, None] == 1) & (random.random((800, 50)) < 0.5)
    answer = np.where(confused, 2, np.where(random.random((800, 50)) < 0.9, truth[:, None], 0))
    query, source = np.divmod(np.arange(answer.size), 50)
    votes = VoteMatrix.from_triples(query, source, answer.ravel(), query_count=800, source_count=50)
    assert estimate(votes, "auto").method == "dawid_skene"


def test_three_that_tell_the_same_lies_among_hundreds_of_sites_with_a_few_votes_count_once() -> None:
    """Each leaves out a third of the queries and is misread now and then; what they share is more than by chance."""
    random = np.random.default_rng(100)
    queries, sites = 50, 400
    votes = {(int(query), site): 0 for site in range(sites) for query in random.choice(queries, 2, replace=False)}
    answers = {pair: 0 if random.random() < 0.45 else int(random.integers(2, 20)) for pair in votes}
    for query in range(queries):
        for liar in range(sites, sites + 3):
            if random.random() < 0.7:
                answers[query, liar] = 1 if random.random() < 0.93 else int(random.integers(2, 20))
    query, source = np.array(list(answers)).T
    answer = np.array(list(answers.values())) + 20 * query  # open answers: no query shares them with another
    matrix = VoteMatrix.from_triples(query, source, answer, query_count=queries, source_count=sites + 3)
    result = estimate(matrix, "auto")
    assert [group.members for group in result.copies] == [(sites, sites + 1, sites + 2)]
    assert result.reliability[sites:].max() < result.reliability[:sites].mean()
    assert (result.answer % 20 == 0).mean() > 0.9
