"""Pairs of sources: what they share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from estimator import EstimatorError, VoteMatrix
from estimator.copying import pairs as pairs_module
from estimator.copying.pairs import PriorEvidence, count_pairs, disputed_sample, label_agreement
from estimator.group_votes import collapse
from tests.estimator.synthetic import Prior, Scenario, draw
from tests.estimator.tables import Case, cases, rows
from tests.tables import for_each


def nothing(votes: VoteMatrix) -> sparse.csr_array:
    return PriorEvidence([], [], []).matrix(votes.source_count)


def expected_counts(case: Case, first: int, second: int) -> tuple[int, int, float]:
    """Queries of both, agreements and the Jaccard index, by loops."""
    queries = [{query for query, other in case.table if other == source} for source in (first, second)]
    both, either = queries[0] & queries[1], queries[0] | queries[1]
    agreed = sum(case.table[query, first] == case.table[query, second] for query in both)
    return len(both), agreed, len(both) / max(len(either), 1)


@given(cases(answers=4))
@settings(deadline=None)
def test_counts_agree_with_a_loop_over_votes(case: Case) -> None:
    pairs = count_pairs(case.votes(), nothing(case.votes()))
    assert pairs.first.size == case.source_count * (case.source_count - 1) // 2
    for index in range(pairs.first.size):
        first, second = int(pairs.first[index]), int(pairs.second[index])
        counted = (pairs.overlap[index], pairs.agreed[index], pairs.jaccard[index])
        assert counted == pytest.approx(expected_counts(case, first, second))


def test_few_pairs_of_many_sources_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    query, source = np.nonzero(random.random((400, 12)) < 0.5)
    answer = random.integers(8, size=query.size)
    votes = VoteMatrix.from_triples(query, source, answer, query_count=400, source_count=12)
    all_pairs = count_pairs(votes, nothing(votes))
    monkeypatch.setattr(pairs_module, "ALL_PAIRS_LIMIT", 5)
    monkeypatch.setattr(pairs_module, "_MOST_VOTES", 500)
    few = count_pairs(votes, PriorEvidence([7], [2], [1.5]).matrix(12))
    key = all_pairs.first * 12 + all_pairs.second
    same = np.searchsorted(key, few.first * 12 + few.second)
    assert few.first.size > 10
    for column in ("overlap", "agreed", "jaccard"):
        np.testing.assert_allclose(getattr(few, column), getattr(all_pairs, column)[same])
    assert few.prior_log_odds[(few.first == 2) & (few.second == 7)].tolist() == [1.5]


def test_labels_given_often_agree_often() -> None:
    votes = VoteMatrix.from_triples(
        np.repeat(np.arange(100), 3), np.tile([0, 1, 2], 100), np.tile([1, 1, 2], 100), query_count=100, source_count=3
    )
    chance = label_agreement(votes, count_pairs(votes, nothing(votes)))
    assert chance[0] > 0.98
    assert chance[1] < 0.02


@given(st.integers(2, 6))
@settings(max_examples=5, deadline=None)
def test_of_very_many_votes_a_regular_part_is_compared(step: int) -> None:
    sample = draw(Scenario(20, 600, Prior.BETA), np.random.default_rng(4))
    with pytest.MonkeyPatch.context() as patch:
        whole, _ = disputed_sample(sample.votes)
        patch.setattr(pairs_module, "_MOST_VOTES", whole.vote_count / step)
        part, classes = disputed_sample(sample.votes)
    assert whole.vote_count / step * 0.8 < part.vote_count < whole.vote_count / step * 1.2
    where = classes[sample.votes.vote_class]
    for column, other in zip(sample.votes.triples(), part.triples(), strict=True):
        assert (column[where] == other).all()


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
