"""Probabilities that answers are right, if copy groups count once."""

import numpy as np
from hypothesis import given

from estimator.copying.collapse import group_votes
from estimator.copying.truth import estimated_truth
from tests.estimator.tables import Case, cases, rows


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
