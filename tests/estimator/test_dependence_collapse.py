"""A group counts once, and the tally says how many groups stand behind an answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import EstimatorError
from estimator.copying import agreement, collapse, tally, vote_shares
from tests.estimator.tables import Case, cases, rows


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


@pytest.mark.parametrize("groups", [[0, 1], [0, 1, -1], [0.0, 1.0, 2.0]])
def test_labels_that_do_not_fit_are_refused(groups: list[float]) -> None:
    with pytest.raises(EstimatorError, match="for each of 3 sources"):
        collapse(rows("1 1 1").votes(), np.array(groups))


@given(cases())
def test_sources_alone_keep_their_votes(case: Case) -> None:
    votes = case.votes()
    collapsed = collapse(votes, np.arange(votes.source_count))
    for one, other in zip(votes.triples(), collapsed.triples(), strict=True):
        assert one.tolist() == other.tolist()


@given(cases(), st.data())
def test_a_group_votes_once_where_any_member_does(case: Case, data: st.DataObject) -> None:
    votes = case.votes()
    labels = st.lists(st.integers(0, 2), min_size=votes.source_count, max_size=votes.source_count)
    groups = np.array(data.draw(labels), dtype=np.int64)
    query, source, answer = collapse(votes, groups).triples()
    said = {(q, int(groups[s]), a) for (q, s), a in case.table.items()}
    assert set(zip(query.tolist(), source.tolist(), answer.tolist(), strict=True)) <= said
    assert {(q, g) for q, g, _ in said} == set(zip(query.tolist(), source.tolist(), strict=True))
    assert vote_shares(votes, groups).sum() == pytest.approx(query.size)


def test_vote_shares_split_a_query_among_the_members_that_vote_on_it() -> None:
    votes = rows("1 1 2 3\n1 - - 3").votes()
    assert vote_shares(votes, np.array([0, 0, 0, 1])).tolist() == pytest.approx([1 / 3] * 3 + [1, 1, 1])


def test_the_tally_counts_votes_and_groups() -> None:
    counted = tally([7, 7, 7, 4, 4, 9], [0, 0, 0, 1, 2, 2])
    assert counted.answer.tolist() == [4, 7, 9]
    assert counted.votes.tolist() == [2, 3, 1]
    assert counted.groups.tolist() == [2, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4))))
def test_no_answer_has_more_groups_than_votes(votes: list[tuple[int, int]]) -> None:
    counted = tally([answer for answer, _ in votes], [group for _, group in votes])
    assert (counted.groups <= counted.votes).all()
    assert counted.votes.sum() == len(votes)
    assert counted.groups.tolist() == sorted(counted.groups.tolist(), reverse=True)


def test_a_tally_of_unlike_lists_is_refused() -> None:
    with pytest.raises(EstimatorError, match="flat and parallel"):
        tally([1, 2], [0])


def test_a_member_is_as_reliable_as_its_own_votes() -> None:
    votes = rows("1 1 2 -\n1 3 1 -\n4 4 4 -").votes()
    shares = agreement(votes, [1, 1, -1])
    assert shares[:3].tolist() == [1.0, 0.5, 0.5]
    assert np.isnan(shares[3])


def test_answers_to_other_queries_are_refused() -> None:
    with pytest.raises(EstimatorError, match="each of 1 queries"):
        agreement(rows("1 1").votes(), [1, 2])
