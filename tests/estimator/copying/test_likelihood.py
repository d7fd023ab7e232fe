"""The likelihood of the votes under a partition into copy groups."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from scipy.special import betaln, gammaln

from estimator.copying.collapse import group_votes
from estimator.copying.grouping import renumbered
from estimator.copying.likelihood import log_likelihood
from estimator.copying.truth import estimated_truth
from estimator.synthetic import CopySample
from tests.estimator.copying.scenarios import copied, independent
from tests.estimator.tables import Case, cases


def score(sample: CopySample, groups: list[int]) -> float:
    label = renumbered(np.array(groups))
    collapsed = group_votes(sample.votes, label)
    return log_likelihood(sample.votes, label, collapsed, estimated_truth(sample.votes, collapsed).right)


@given(cases(answers=3))
def test_independent_sources_agree_with_a_loop_over_votes(case: Case) -> None:
    """Where every answer is certain, it is the Beta integrals of the sources and the Polya urns of the wrong votes."""
    votes = case.votes()
    if not votes.vote_count:
        return
    right = np.zeros(votes.class_count)
    right[np.unique(votes.class_query, return_index=True)[1]] = 1.0
    groups = np.arange(votes.source_count)
    classes = zip(votes.class_query.tolist()[::-1], votes.class_answer.tolist()[::-1], strict=True)
    first = dict(classes)
    answers = {query: len(set(votes.class_answer[votes.class_query == query])) for query in first}
    wrong_answers = max(max(answers.values()) - 1, 2)
    expected = 0.0
    for source in range(votes.source_count):
        own = [answer == first[query] for (query, other), answer in case.table.items() if other == source]
        expected += float(betaln(sum(own) + 1, len(own) - sum(own) + 1))

    def urns(concentration: float) -> float:
        total = 0.0
        for query, truth in first.items():
            wrong = [answer for (other, _), answer in case.table.items() if other == query and answer != truth]
            counts = [wrong.count(answer) for answer in set(wrong)]
            spread = concentration * wrong_answers
            total += sum(float(gammaln(concentration + n) - gammaln(concentration)) for n in counts)
            total -= float(gammaln(spread + len(wrong)) - gammaln(spread))
        return total

    expected += max(urns(concentration) for concentration in (0.05, 0.2, 0.8, 3.0, 1000.0))
    assert log_likelihood(votes, groups, group_votes(votes, groups), right) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("rate", [1.0, 0.8])
def test_copies_are_likelier_as_one_group(rate: float) -> None:
    sample = copied(4, rate, query_count=300)
    assert score(sample, sample.groups.tolist()) > score(sample, list(range(10))) + 60


def test_the_mirror_image_is_less_likely() -> None:
    """Eight copiers of one bad source: the honest five, who agree with each other, are not taken for the copies."""
    sample = copied(8, 0.8, query_count=300)
    honest = [0] * 5 + list(range(5, 14))
    assert score(sample, sample.groups.tolist()) > score(sample, honest) + 0.05 * 300


def test_independent_sources_are_likelier_apart() -> None:
    sample = independent((0.95,) * 10, seed=1)
    assert score(sample, list(range(10))) > score(sample, [0] * 10) + 0.1 * 300


def test_a_group_of_two_that_never_copy_is_paid_for() -> None:
    sample = independent((0.6,) * 6, seed=1)
    assert score(sample, list(range(6))) > score(sample, [0, 0, 2, 3, 4, 5]) + log(300)
