"""Answers that are right if copy groups count once, evidence of every pair, clusters, and what groups explain."""

from math import log

import numpy as np
import pytest
from hypothesis import given

from estimator.arrays.types import Integers
from estimator.copying import find_copies, search
from estimator.copying.pairs import Pairs
from estimator.copying.search import compare, contested, estimated_truth, linked_groups, log_likelihood
from estimator.group_votes import collapse, group_votes
from tests.estimator.copying.scenarios import copied, independent
from tests.estimator.synthetic import CopySample, CopyScenario, draw_copies
from tests.estimator.tables import Case, cases, rows


def score(sample: CopySample, groups: list[int] | Integers) -> float:
    label = np.unique(groups, return_inverse=True)[1]
    collapsed = group_votes(sample.votes, label)
    right, _ = estimated_truth(sample.votes, *collapsed)
    return float(log_likelihood(sample.votes, label, *collapsed, right).sum())


def pairs(overlap: list[float], agreed: list[float], prior: float = 0.0) -> Pairs:
    """Pairs (0, 1), (2, 3), ... that cover the same queries."""
    first = np.arange(0, 2 * len(overlap), 2)
    even = np.ones(len(overlap))
    return Pairs(first, first + 1, np.array(overlap), np.array(agreed), even, prior * even)


def test_the_answer_of_those_who_are_often_right_wins() -> None:
    votes = rows("1 1 2\n1 1 1\n3 3 3\n1 1 2\n2 2 2\n4 4 1").votes()
    right, _ = estimated_truth(votes, *group_votes(votes, np.arange(3)))
    by_class = dict(zip(zip(votes.class_query.tolist(), votes.class_answer.tolist(), strict=True), right, strict=True))
    assert by_class[0, 1] > 0.9
    assert by_class[0, 2] < 0.1
    assert by_class[5, 4] > 0.9


def test_a_group_counts_once() -> None:
    votes = rows("1 1 1 2 2\n3 3 3 4 4\n5 5 5 5 5\n6 6 6 6 6").votes()
    apart, joined = (
        estimated_truth(votes, *group_votes(votes, np.array(g)))[0] for g in ([0, 1, 2, 3, 4], [0, 0, 0, 1, 2])
    )
    assert apart[0] > 0.5 > joined[0]


@given(cases())
def test_probabilities_of_a_query_sum_to_one_at_most(case: Case) -> None:
    if not case.table:
        return
    votes = case.votes()
    right, wrong_agreement = estimated_truth(votes, *group_votes(votes, np.arange(case.source_count)))
    assert (np.bincount(votes.class_query, right) <= 1 + 1e-9).all()
    assert (right >= 0).all()
    assert 0 < wrong_agreement <= 1


@given(cases(answers=4))
def test_the_likelihood_agrees_with_a_loop_over_votes(case: Case) -> None:
    """The first two sources are a group; where every answer is certain, it is a product of fitted shares."""
    votes = case.votes()
    if not votes.vote_count:
        return
    groups = np.maximum(np.arange(votes.source_count) - 1, 0)
    right = np.zeros(votes.class_count)
    right[np.unique(votes.class_query, return_index=True)[1]] = 1.0
    smallest = {
        query: int(votes.class_answer[votes.class_query == query].min()) for query in votes.class_query.tolist()
    }
    wrong_answers = max(int(np.bincount(votes.class_query).max()) - 1, 2)

    def fitted(outcomes: list[bool]) -> float:
        share = (sum(outcomes) + 1) / (len(outcomes) + 2)
        return sum(log(share if outcome else 1 - share) for outcome in outcomes)

    def of_votes(answers: dict[int, int]) -> float:
        is_right = [answer == smallest[query] for query, answer in answers.items()]
        return fitted(is_right) - is_right.count(False) * log(wrong_answers)

    by_group: dict[int, dict[int, int]] = {}
    for query, group, answer in zip(*(column.tolist() for column in collapse(votes, groups).triples()), strict=True):
        by_group.setdefault(group, {})[query] = answer
    expected = sum(map(of_votes, by_group.values()))
    for member in (0, 1) if votes.source_count > 1 else ():
        answers = {query: answer for (query, source), answer in case.table.items() if source == member}
        repeats = {query: by_group[0][query] == answer for query, answer in answers.items()}
        expected += fitted(list(repeats.values()))
        expected += of_votes({query: answer for query, answer in answers.items() if not repeats[query]})
    likelihood = log_likelihood(votes, groups, *group_votes(votes, groups), right).sum()
    assert likelihood == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("rate", [1.0, 0.8])
def test_copies_are_likelier_as_one_group(rate: float) -> None:
    sample = copied(4, rate, query_count=300)
    assert score(sample, sample.groups) > score(sample, list(range(10))) + 60


def test_the_mirror_image_is_less_likely() -> None:
    """Eight copiers of one bad source: the honest five, who agree with each other, are not taken for the copies."""
    sample = copied(8, 0.8, query_count=300)
    assert score(sample, sample.groups) > score(sample, [0] * 5 + list(range(5, 14))) + 0.05 * 300


@pytest.mark.parametrize(("reliability", "groups"), [((0.95,) * 10, [0] * 10), ((0.6,) * 6, [0, 0, 2, 3, 4, 5])])
def test_independent_sources_are_likelier_apart(reliability: tuple[float, ...], groups: list[int]) -> None:
    sample = independent(reliability, seed=1)
    assert score(sample, list(range(len(groups)))) > score(sample, groups) + log(300)


def test_agreement_is_explained_by_being_right_and_by_common_errors() -> None:
    """0.9 * 0.8 + 0.1 * 0.2 * 0.25, and the rest of the agreement is copied: 0.8 = c + (1 - c) * 0.725."""
    evidence = compare(pairs([100.0], [80.0]), np.array([0.9, 0.8]), 0.25, np.zeros(1))
    assert evidence.explained.tolist() == pytest.approx([0.725])
    assert evidence.copied_share.tolist() == pytest.approx([0.075 / 0.275])
    assert evidence.both_wrong.tolist() == pytest.approx([0.005])
    assert evidence.log_odds.tolist() == [-np.inf]


def test_frequencies_of_labels_explain_agreement_too() -> None:
    """Two that nearly always say yes agree nearly always."""
    evidence = compare(pairs([100.0], [96.0]), np.array([0.5, 0.5]), 0.5, np.array([0.95]))
    assert evidence.explained.tolist() == [0.95]
    assert evidence.copied_share[0] < 0.5


def test_log_odds_depend_on_the_share_that_is_copied_and_not_on_the_count() -> None:
    """Of 1,000 queries 440 or 760 are answered alike, where 200 would be: 30 % and 70 % copied."""
    counts = pairs([1000.0, 1000.0, 10.0], [440.0, 760.0, 10.0])
    weak, strong, few = compare(counts, np.full(6, np.sqrt(0.2)), 0.0, np.zeros(3)).log_odds.tolist()
    assert weak == -np.inf
    assert strong > 20
    assert 3 < few < 20


def test_evidence_from_outside_takes_the_place_of_the_prior_odds() -> None:
    """Four of four alike among 1,000 sources, where 0.2 would be: a share above 0.6 has the odds of Beta(5, 1)."""
    reliability = np.full(1_000, np.sqrt(0.2))
    evidence = [compare(pairs([4.0], [4.0], prior), reliability, 0.0, np.zeros(1)).log_odds for prior in (0.0, 60)]
    assert evidence[0] < 0
    assert evidence[1] == pytest.approx(np.log(1 / 0.6**5 - 1))


def test_without_overlap_nothing_says_how_much_is_copied() -> None:
    evidence = compare(pairs([0.0], [0.0], prior=60.0), np.full(2, 0.5), 0.1, np.zeros(1))
    assert evidence.log_odds.tolist() == [-np.inf]


def chain(similar: float) -> Pairs:
    """Sources 0 and 1 are alike, as are 1 and 2; 0 and 2 are as similar as given."""
    even = np.ones(3)
    return Pairs(
        np.array([0, 0, 1]), np.array([1, 2, 2]), 10 * even, np.array([9.0, 10 * similar, 8.0]), even, 0 * even
    )


def test_a_chain_is_no_cluster_by_complete_linkage() -> None:
    pairs = chain(0.1)
    every = np.ones(3, dtype=np.bool_)
    assert linked_groups(pairs, every, pairs.agreement, 0.25, 4, "complete").tolist() == [0, 0, 1, 2]
    assert linked_groups(pairs, every, pairs.agreement, 0.4, 4, "average").tolist() == [0, 0, 0, 1]
    close = chain(0.3)
    assert linked_groups(close, every, close.agreement, 0.25, 4, "complete").tolist() == [0, 0, 0, 1]
    assert linked_groups(close, ~every, close.agreement, 0.25, 4, "complete").tolist() == [0, 1, 2, 3]


@given(cases(answers=4))
def test_contested_votes_are_those_for_the_second_likeliest_answer(case: Case) -> None:
    votes = case.votes()
    right = np.random.default_rng(votes.vote_count).random(votes.class_count)
    shares: dict[int, dict[int, float]] = {}
    for query, answer, share in zip(votes.class_query.tolist(), votes.class_answer.tolist(), right, strict=True):
        shares.setdefault(query, {})[answer] = share
    for source, found in enumerate(contested(votes, right).tolist()):
        gains = [
            1 - shares[query][answer] if shares[query][answer] in sorted(shares[query].values())[-2:-1] else 0.0
            for (query, other), answer in case.table.items()
            if other == source
        ]
        assert found == pytest.approx(sum(gains) / (len(gains) + 2))


def test_two_sources_that_alone_are_right_where_most_err_alike_are_no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty models of which two are much better than the rest, who share errors on hard queries."""
    random = np.random.default_rng(4)
    scenario = CopyScenario(
        (0.96, 0.95, *random.uniform(0.25, 0.8, 38)),
        (1.0,) * 40,
        (-1,) * 40,
        query_count=721,
        favourite_error=0.5,
        difficulty=1.5,
    )
    votes = draw_copies(scenario, random).votes
    assert find_copies(votes)[1] == ()
    monkeypatch.setattr(search, "ALLOWANCE", 0.0)
    assert [group.members for group in find_copies(votes)[1]] == [(0, 1)]
