"""A copy group votes once on a query."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import EstimatorError
from estimator.group_votes import collapse
from tests.estimator.tables import Case, cases, rows
from tests.tables import for_each


def table(text: str, groups: list[int]) -> dict[tuple[int, int], int]:
    query, source, answer = collapse(rows(text).votes(), np.array(groups)).triples()
    return dict(zip(zip(query.tolist(), source.tolist(), strict=True), answer.tolist(), strict=True))


def test_a_group_votes_as_most_of_its_members() -> None:
    assert table("1 1 2 3", [0, 0, 0, 1]) == {(0, 0): 1, (0, 1): 3}


def test_members_that_abstain_do_not_count() -> None:
    assert table("- - 2 3\n- - - 3", [0, 0, 0, 1]) == {(0, 0): 2, (0, 1): 3, (1, 1): 3}


def test_a_tie_goes_to_the_answer_with_more_votes_from_outside() -> None:
    assert table("1 2 2", [0, 0, 1]) == {(0, 0): 2, (0, 1): 2}


def test_a_tie_without_outsiders_goes_to_the_smallest_id() -> None:
    assert table("5 4", [0, 0]) == {(0, 0): 4}


@for_each("groups", [[0, 1], [0, 1, -1], [0.0, 1.0, 2.0]])
def test_labels_that_do_not_fit_are_refused(groups: list[float]) -> None:
    with pytest.raises(EstimatorError, match="for each of 3 sources"):
        collapse(rows("1 1 1").votes(), np.array(groups))


@given(cases())
def test_groups_of_one_keep_their_votes(case: Case) -> None:
    votes = case.votes()
    collapsed = collapse(votes, np.arange(votes.source_count))
    for column, same in zip(votes.triples(), collapsed.triples(), strict=True):
        assert column.tolist() == same.tolist()


@given(cases(), st.data())
def test_a_group_votes_once_where_any_member_does(case: Case, data: st.DataObject) -> None:
    votes = case.votes()
    labels = st.lists(st.integers(0, 2), min_size=votes.source_count, max_size=votes.source_count)
    groups = np.array(data.draw(labels), dtype=np.int64)
    query, source, answer = collapse(votes, groups).triples()
    of_members = {(q, int(groups[s]), a) for (q, s), a in case.table.items()}
    assert set(zip(query.tolist(), source.tolist(), answer.tolist(), strict=True)) <= of_members
    assert {(q, g) for q, g, _ in of_members} == set(zip(query.tolist(), source.tolist(), strict=True))
