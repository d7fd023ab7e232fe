"""Probabilities that answers are right, by shares and by reliabilities."""

import numpy as np
import pytest
from hypothesis import given

from estimator.copying.collapse import group_votes
from estimator.copying.layout import QueryClasses
from estimator.copying.truth import by_reliability, by_share, group_reliability
from tests.estimator.tables import Case, cases, rows


def test_by_share_an_answer_is_right_with_its_share_of_the_votes() -> None:
    votes = rows("1 1 2 -\n3 3 3 3").votes()
    truth = by_share(QueryClasses.of(votes), group_votes(votes, np.arange(4)))
    assert truth.right.tolist() == pytest.approx([2 / 3, 1 / 3, 1])


def test_by_reliability_probabilities_follow_the_formula() -> None:
    """Once the reliabilities stand still, `odds = prod n A / (1 - A)` over the supporters, against all answers."""
    votes = rows("1 1 2\n1 1 1\n3 3 3\n1 1 2\n2 2 2\n4 4 1").votes()
    classes, collapsed = QueryClasses.of(votes), group_votes(votes, np.arange(3))
    truth = by_reliability(classes, collapsed)
    wrong_answers = 1 / by_share(classes, collapsed).coincidence
    odds = [wrong_answers * a / (1 - a) for a in group_reliability(collapsed, truth.right)]
    agreed, alone = odds[0] * odds[1], odds[2]
    assert truth.right[0] == pytest.approx(agreed / (agreed + alone + wrong_answers - 1), abs=1e-3)
    assert truth.right[2] == pytest.approx(agreed * alone / (agreed * alone + wrong_answers), abs=1e-3)


@given(cases())
def test_probabilities_of_a_query_sum_to_one_at_most(case: Case) -> None:
    if not case.table:
        return
    votes = case.votes()
    classes, collapsed = QueryClasses.of(votes), group_votes(votes, np.arange(case.source_count))
    for truth in (by_share(classes, collapsed), by_reliability(classes, collapsed)):
        assert (classes.total(truth.right) <= 1 + 1e-9).all()
        assert (truth.right >= 0).all()
        assert 0 < truth.coincidence <= 1
