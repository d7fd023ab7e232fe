"""Probabilities that answers are right if copy groups count once, and the likelihood of the votes under groups."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from scipy.special import betaln

from estimator.arrays.types import Integers
from estimator.copying.collapse import group_votes
from estimator.copying.truth import estimated_truth, log_likelihood
from estimator.synthetic import CopySample
from tests.estimator.copying.scenarios import copied, independent
from tests.estimator.tables import Case, cases, rows


def score(sample: CopySample, groups: list[int] | Integers) -> float:
    label = np.unique(groups, return_inverse=True)[1]
    collapsed = group_votes(sample.votes, label)
    return log_likelihood(sample.votes, label, collapsed, estimated_truth(sample.votes, collapsed).right)


def test_the_answer_of_those_who_are_often_right_wins() -> None:
    votes = rows("1 1 2\n1 1 1\n3 3 3\n1 1 2\n2 2 2\n4 4 1").votes()
    right = estimated_truth(votes, group_votes(votes, np.arange(3))).right
    by_class = dict(zip(zip(votes.class_query.tolist(), votes.class_answer.tolist(), strict=True), right, strict=True))
    assert by_class[0, 1] > 0.9
    assert by_class[0, 2] < 0.1
    assert by_class[5, 4] > 0.9


def test_a_group_counts_once() -> None:
    votes = rows("1 1 1 2 2\n3 3 3 4 4\n5 5 5 5 5\n6 6 6 6 6").votes()
    apart, joined = (
        estimated_truth(votes, group_votes(votes, np.array(g))).right for g in ([0, 1, 2, 3, 4], [0, 0, 0, 1, 2])
    )
    assert apart[0] > 0.5 > joined[0]


@given(cases())
def test_probabilities_of_a_query_sum_to_one_at_most(case: Case) -> None:
    if not case.table:
        return
    votes = case.votes()
    truth = estimated_truth(votes, group_votes(votes, np.arange(case.source_count)))
    assert (np.bincount(votes.class_query, truth.right) <= 1 + 1e-9).all()
    assert (truth.right >= 0).all()
    assert 0 < truth.wrong_agreement <= 1


@given(cases(answers=4))
def test_the_likelihood_agrees_with_a_loop_over_votes(case: Case) -> None:
    """The first two sources are a group; where every answer is certain, it is a product of Beta integrals."""
    votes = case.votes()
    if not votes.vote_count:
        return
    groups = np.maximum(np.arange(votes.source_count) - 1, 0)
    collapsed = group_votes(votes, groups)
    right = np.zeros(votes.class_count)
    right[np.unique(votes.class_query, return_index=True)[1]] = 1.0
    smallest = {
        query: int(votes.class_answer[votes.class_query == query].min()) for query in votes.class_query.tolist()
    }
    wrong_answers = max(int(np.bincount(votes.class_query).max()) - 1, 2)

    def integral(outcomes: list[bool]) -> float:
        return float(betaln(sum(outcomes) + 1, len(outcomes) - sum(outcomes) + 1))

    def of_votes(votes_of_source: dict[int, int]) -> float:
        own = [answer == smallest[query] for query, answer in votes_of_source.items()]
        return integral(own) - own.count(False) * log(wrong_answers)

    by_group: dict[int, dict[int, int]] = {}
    for query, group, answer in zip(*(column.tolist() for column in collapsed.matrix(votes).triples()), strict=True):
        by_group.setdefault(group, {})[query] = answer
    expected = sum(map(of_votes, by_group.values()))
    for member in (0, 1) if votes.source_count > 1 else ():
        of_member = {query: answer for (query, source), answer in case.table.items() if source == member}
        repeats = {query: by_group[0][query] == answer for query, answer in of_member.items()}
        expected += integral(list(repeats.values()))
        expected += of_votes({query: answer for query, answer in of_member.items() if not repeats[query]})
    assert log_likelihood(votes, groups, collapsed, right) == pytest.approx(expected, abs=1e-6)


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
