"""Gold answers judge the votes on their queries, tell the truth from its mirror image, and change nothing if absent."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from estimator import EstimatorError, SourcePriors, TiePolicy, VoteMatrix, estimate
from estimator.methods import METHODS
from tests.estimator.synthetic import Prior, Sample, Scenario, draw
from tests.estimator.tables import Case, cases, rows
from tests.tables import for_each

Integers = NDArray[np.int64]

METHODS_WITH_GOLD = [method.name for method in METHODS if "gold" in method.parameters]
# Without copies `auto` is one of the others.
PLAIN_METHODS = [name for name in METHODS_WITH_GOLD if name != "auto"]


def eight_spammers(seed: int, wrong_answers: int) -> Sample:
    """Eight sources at 0.1 and one at 0.9, on 60 % of 200 queries."""
    random = np.random.default_rng(seed)
    sample = draw(Scenario(wrong_answers=wrong_answers), random)
    reliability = np.full(9, 0.1)
    reliability[random.integers(9)] = 0.9
    query, source, _ = sample.votes.triples()
    right = random.random(query.size) < reliability[source]
    shift = np.where(right, 0, random.integers(1, wrong_answers + 1, size=query.size))
    answer = (sample.truth[query] + shift) % (wrong_answers + 1)
    votes = VoteMatrix.from_triples(query, source, answer, query_count=200, source_count=9)
    return replace(sample, votes=votes, true_reliability=reliability)


def gold_of(truth: Integers, count: int) -> Integers:
    """The truth of the first `count` queries."""
    return np.where(np.arange(truth.size) < count, truth, -1)


@pytest.mark.parametrize(
    ("wrong_answers", "method", "expected"), [(9, "auto", 0.5), (9, "iwmv", 0.5), (1, "one_coin", 0.6)]
)
def test_twenty_gold_answers_find_the_good_source_among_eight_spammers(
    wrong_answers: int, method: str, expected: float
) -> None:
    for seed in range(2):
        sample = eight_spammers(seed, wrong_answers)
        result = estimate(sample.votes, method, gold=gold_of(sample.truth, 20))
        assert (result.answer == sample.truth)[20:].mean() > expected
        assert result.reliability.argmax() == sample.true_reliability.argmax()


@pytest.mark.usefixtures("too_large_to_sample")
@pytest.mark.parametrize("method", ["one_coin", "dawid_skene"])
def test_a_large_corpus_of_liars_is_not_taken_for_its_mirror_image(method: str) -> None:
    """Beyond the size that is sampled, the gold answers decide where the fit starts."""
    random = np.random.default_rng(4)
    truth = random.integers(2, size=2_000)
    query, source = np.divmod(np.arange(2_000 * 7), 7)
    wrong = random.random(query.size) < np.where(source < 5, 0.8, 0.1)
    votes = VoteMatrix.from_triples(query, source, truth[query] ^ wrong, query_count=2_000, source_count=7)
    assert (estimate(votes, method).answer == truth).mean() < 0.1
    result = estimate(votes, method, gold=gold_of(truth, 20))
    assert (result.answer == truth).mean() > 0.9
    assert result.reliability[:5] == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize("method", PLAIN_METHODS)
def test_two_misleading_gold_answers_do_not_invert_a_good_corpus(method: str) -> None:
    sample = draw(Scenario(9, 200, Prior.BETA, wrong_answers=3), np.random.default_rng(8))
    gold = np.full(200, -1)
    gold[:2] = (sample.truth[:2] + 1) % 4
    plain, misled = (estimate(sample.votes, method, gold=answers).answer for answers in (None, gold))
    assert (misled == sample.truth)[2:].mean() > (plain == sample.truth)[2:].mean() - 0.05


@pytest.mark.parametrize("method", PLAIN_METHODS)
def test_no_gold_and_no_priors_change_no_bit(method: str) -> None:
    sample = draw(Scenario(6, 80, Prior.BETA, wrong_answers=2), np.random.default_rng(9))
    plain = estimate(sample.votes, method)
    same = estimate(
        sample.votes, method, gold=np.full(80, -1), source_priors=SourcePriors(np.full(6, 0.9), np.zeros(6))
    )
    for name in ("reliability", "weight", "answer", "lead", "lower", "upper", "posterior", "confidence"):
        assert getattr(same, name).tobytes() == getattr(plain, name).tobytes()


@given(cases(), st.sampled_from(METHODS_WITH_GOLD), st.sampled_from(TiePolicy), st.data())
@settings(max_examples=20, deadline=None)
def test_gold_is_the_answer_of_its_query_wherever_somebody_gave_it(
    case: Case, method: str, ties: TiePolicy, data: st.DataObject
) -> None:
    votes = case.votes()
    size = case.query_count
    gold = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=size, max_size=size)), dtype=np.int64)
    result = estimate(votes, method, gold=gold, ties=ties)
    voted_for = {(query, answer) for (query, _), answer in case.table.items()}
    for query, answer in enumerate(gold.tolist()):
        if answer >= 0:
            assert result.answer[query] == (answer if (query, answer) in voted_for else -1)
            assert not result.tied[query]
        if answer >= 0 and (query, answer) not in voted_for:
            assert result.lead[query] == 0
    assert ((result.reliability >= 0) & (result.reliability <= 1)).all()
    assert (result.lower <= result.upper).all()
    assert ((result.lead >= 0) & (result.lead <= 1)).all()


@for_each("method", METHODS_WITH_GOLD)
def test_votes_on_gold_that_nobody_gave_are_wrong(method: str) -> None:
    votes = rows("0 0 0\n1 1 1\n0 0 0\n1 1 1").votes()
    judged = estimate(votes, method, gold=[7, 7, 7, 7])
    assert judged.answer.tolist() == [-1] * 4
    assert (judged.reliability < 0.4).all()
    assert (judged.reliability < estimate(votes, method).reliability).all()


def test_with_gold_for_every_query_reliabilities_are_shares_of_right_votes() -> None:
    sample = draw(Scenario(9, 200, Prior.BETA), np.random.default_rng(3))
    query, source, answer = sample.votes.triples()
    share = np.bincount(source, answer == sample.truth[query]) / np.bincount(source)
    assert estimate(sample.votes, "iwmv", gold=sample.truth).reliability == pytest.approx(share)
    for method in ("one_coin", "dawid_skene"):
        result = estimate(sample.votes, method, gold=sample.truth)
        assert result.reliability == pytest.approx(share, abs=0.025)
        assert ((result.lower < share) & (share < result.upper)).all()


def test_the_oracle_ignores_gold() -> None:
    votes = rows("0 0 1\n0 1 1").votes()
    plain, same = (estimate(votes, "oracle", true_reliability=[0.9, 0.5, 0.5], gold=gold) for gold in (None, [1, 1]))
    assert plain.answer.tolist() == same.answer.tolist() == [0, 0]


@for_each("gold", [[0], [0, -2], [0.5, 1.0], [[0, 1]]])
def test_gold_that_does_not_fit_the_queries_is_refused(gold: object) -> None:
    with pytest.raises(EstimatorError, match="gold must be an answer id"):
        estimate(rows("0 1\n1 1").votes(), "one_coin", gold=np.array(gold))
