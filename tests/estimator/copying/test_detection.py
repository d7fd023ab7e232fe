"""Copies in pairs and groups of sources: what is found, what is not, and what a group's vote counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from estimator import EstimatorError, VoteMatrix, estimate
from estimator.copying import find_copies
from estimator.copying import pairs as pairs_module
from estimator.copying.pairs import PriorEvidence, count_pairs, disputed_sample, label_agreement
from estimator.group_votes import collapse
from tests.estimator.copying.scenarios import copied, independent, renumbered, same_groups
from tests.estimator.synthetic import CopyScenario, Prior, Scenario, draw, draw_copies
from tests.estimator.tables import Case, cases, matrix, rows
from tests.tables import for_each

seeds = for_each("seed", [100, 101])


@seeds
@pytest.mark.parametrize("copiers", [1, 8])
@pytest.mark.parametrize("query_count", [60, 400])
def test_exact_copies_are_found_however_many_they_are(copiers: int, query_count: int, seed: int) -> None:
    sample = copied(copiers, query_count=query_count, seed=seed)
    groups, _ = find_copies(sample.votes)
    assert same_groups(groups, sample.groups)
    assert groups.max() == 5


@seeds
@pytest.mark.parametrize("copiers", [1, 8])
def test_sources_that_copy_four_votes_of_five_are_found(copiers: int, seed: int) -> None:
    sample = copied(copiers, rate=0.8, query_count=300, seed=seed)
    assert same_groups(find_copies(sample.votes)[0], sample.groups)


@seeds
def test_a_majority_of_copiers_does_not_win(seed: int) -> None:
    sample = copied(8, seed=seed)
    groups = find_copies(sample.votes)[0]
    assert sample.accuracy(estimate(sample.votes, "iwmv").answer) < 0.5
    assert sample.accuracy(estimate(collapse(sample.votes, groups), "iwmv").answer) > 0.9


@seeds
@pytest.mark.parametrize(
    ("reliability", "more"),
    [
        ((0.9,) * 8, {}),
        ((0.99,) * 8, {}),
        ((0.95,) * 3 + (0.4,) * 7, {}),
        ((0.97,) * 4 + (0.5,) * 6, {}),
        ((0.5,) * 12, {}),
        ((0.1,) * 4 + (0.9,) * 5, {}),
        ((0.8, 0.7, 0.6, 0.5) * 3, {"favourite_error": 0.6}),
        ((0.8, 0.7, 0.6, 0.9) * 3, {"difficulty": 2.0, "favourite_error": 0.5}),
        ((0.8, 0.7, 0.6, 0.9) * 3, {"wrong_answers": 1}),
        ((0.8, 0.7, 0.6, 0.9) * 8, {"coverage": 0.3}),
    ],
)
def test_independent_sources_stay_alone(reliability: tuple[float, ...], more: dict[str, float], seed: int) -> None:
    """Agreement by being right, on easy queries and in common errors is no copying."""
    votes = independent(reliability, seed, **more).votes
    detected, _ = find_copies(votes)
    assert detected.tolist() == list(range(votes.source_count))


@seeds
def test_most_sources_copying_loosely_are_found(seed: int) -> None:
    """Three groups that copy 85 % and answer the rest by themselves, and six others; half of the errors are common."""
    random = np.random.default_rng(seed)
    scenario = CopyScenario(
        reliability=(0.7,) * 8 + (0.55,) * 7 + (0.62,) * 5 + tuple(random.beta(6, 2, 6)),
        coverage=(0.7,) + (0.85,) * 7 + (0.6,) + (0.9,) * 6 + (0.8,) + (0.85,) * 4 + (0.6,) * 6,
        copies=(-1,) + (0,) * 7 + (-1,) + (8,) * 6 + (-1,) + (15,) * 4 + (-1,) * 6,
        copy_rate=0.85,
        query_count=500,
        favourite_error=0.5,
        difficulty=1.0,
    )
    sample = draw_copies(scenario, random)
    assert same_groups(find_copies(sample.votes)[0], sample.groups)
    auto, majority = (sample.accuracy(estimate(sample.votes, method).answer) for method in ("auto", "majority"))
    assert auto > majority + 0.03


@given(st.integers(0, 10**6), st.sampled_from([1.0, 0.8]), st.integers(1, 6))
@settings(max_examples=15, deadline=None)
def test_the_numbering_of_sources_queries_and_answers_does_not_matter(seed: int, rate: float, copiers: int) -> None:
    random = np.random.default_rng(seed)
    sample = copied(copiers, rate, query_count=120, seed=seed)
    query_of, source_of = random.permutation(120), random.permutation(6 + copiers)
    detected, copies = find_copies(sample.votes)
    moved, others = find_copies(renumbered(sample.votes, query_of, source_of))
    assert same_groups(moved[source_of], detected)
    # Where two members of a group differ and no other source agrees with either, the smaller id is the group's vote.
    strengths = [sorted(group.links[0].log_odds for group in found) for found in (copies, others)]
    np.testing.assert_allclose(strengths[0], strengths[1], rtol=0.05)


def test_a_group_says_what_its_two_closest_members_share() -> None:
    sample = copied(1, query_count=300)
    detected, copies = find_copies(sample.votes)
    query, source, answer = sample.votes.triples()
    wrong = int((answer[source == 5] != sample.truth[query[source == 5]]).sum())
    (group,) = copies
    (strongest,) = group.links
    assert group.members == (5, 6)
    assert group.original is None
    assert strongest.agreement == 1
    assert strongest.overlap == 1
    assert 0.1 < strongest.explained < 0.3  # 0.35 * 0.35 + 0.65 * 0.65 / 9
    assert strongest.shared_wrong == pytest.approx(wrong, rel=0.05)
    assert strongest.expected < 0.2 * strongest.shared_wrong
    assert strongest.copied_share > 0.98
    assert (strongest.first, strongest.second, strongest.copier) == (5, 6, None)
    assert strongest.log_odds > 20
    assert not detected.flags.writeable


def test_more_agreement_is_stronger_evidence() -> None:
    odds = [find_copies(copied(1, query_count=count).votes)[1][0].links[0].log_odds for count in (50, 100, 200, 400)]
    assert odds == sorted(odds)


def test_sources_that_cover_different_queries_are_no_copies() -> None:
    """Two sources that agree on all that both have, but choose their queries independently: who copies has what the
    other has.
    """
    random = np.random.default_rng(5)
    voted = random.random((2_000, 10)) < 0.4
    answer = np.where(random.random((2_000, 10)) < 0.6, 0, random.integers(1, 10, (2_000, 10)))
    loosely = random.random(2_000) < 0.9
    answer[loosely, 9] = answer[loosely, 8]
    apart, together = voted.copy(), voted.copy()
    together[:, 9] = voted[:, 8]
    groups = []
    for table in (apart, together):
        query, source = np.nonzero(table)
        votes = VoteMatrix.from_triples(query, source, answer[query, source], query_count=2_000, source_count=10)
        groups.append(find_copies(votes)[1])
    assert groups[0] == ()
    assert [group.members for group in groups[1]] == [(8, 9)]


def test_excellent_sources_are_no_copies_though_they_agree_nearly_always() -> None:
    scenario = CopyScenario((0.99,) * 5 + (0.5,) * 5, (1.0,) * 10, (-1,) * 10, query_count=1_000)
    assert find_copies(draw_copies(scenario, np.random.default_rng(0)).votes)[1] == ()


@pytest.mark.parametrize("later", [0, 1])
def test_times_tell_which_source_copied(later: int) -> None:
    """Sources 5 and 6 give the same answers, one a day after the other; half of the times are unknown."""
    sample = copied(1)
    _, source, _ = sample.votes.triples()
    time = np.where(source == 5 + later, 2.0, 1.0)
    time[np.random.default_rng(0).random(time.size) < 0.5] = np.nan
    (group,) = find_copies(sample.votes, time=time)[1]
    assert (group.members, group.original) == ((5, 6), 6 - later)
    (link,) = group.links
    assert (link.first, link.second, link.copier) == (5, 6, 5 + later)


def test_equal_times_tell_nothing() -> None:
    sample = copied(1)
    (group,) = find_copies(sample.votes, time=np.zeros(sample.votes.vote_count))[1]
    assert group.original is None


def test_times_for_other_votes_are_refused() -> None:
    with pytest.raises(EstimatorError, match="one number for each of 1200 votes"):
        find_copies(copied(0).votes, time=[1.0])


def test_prior_evidence_adds_to_little_evidence() -> None:
    """Five shared answers are not enough; with shared passages they are."""
    votes = copied(1, query_count=5, seed=1).votes
    assert find_copies(votes)[1] == ()
    detected, _ = find_copies(votes, prior_evidence=PriorEvidence([6], [5], [12.0]))
    assert detected.tolist() == [0, 1, 2, 3, 4, 5, 5]


@for_each(
    ("evidence", "message"),
    [
        (PriorEvidence([1], [1], [2.0]), "different sources"),
        (PriorEvidence([1], [9], [2.0]), "from 0 to 6"),
        (PriorEvidence([1, 2], [3], [2.0]), "as many"),
    ],
)
def test_prior_evidence_about_no_pair_of_sources_is_refused(evidence: PriorEvidence, message: str) -> None:
    with pytest.raises(EstimatorError, match=message):
        find_copies(copied(1).votes, prior_evidence=evidence)


def test_copies_among_thousands_of_sources_are_found_through_their_rare_answers() -> None:
    """2,400 sources with 40 votes each, 20 of which copy another."""
    random = np.random.default_rng(7)
    source_count, query_count, votes_each = 2_400, 4_000, 40
    query = np.stack([random.choice(query_count, votes_each, replace=False) for _ in range(source_count)])
    right = random.random(query.shape) < 0.6
    answer = np.where(right, 0, random.integers(1, 10, query.shape))
    for copier in range(20):
        query[copier + 100], answer[copier + 100] = query[copier], answer[copier]
    source = np.repeat(np.arange(source_count), votes_each)
    votes = VoteMatrix.from_triples(
        query.ravel(), source, answer.ravel(), query_count=query_count, source_count=source_count
    )
    detected, _ = find_copies(votes)
    assert detected[100:120].tolist() == detected[:20].tolist()
    assert detected.max() + 1 == source_count - 20


def test_without_votes_there_are_no_copies() -> None:
    detected, _ = find_copies(matrix({}, 3, 4))
    assert detected.tolist() == [0, 1, 2, 3]
    assert find_copies(matrix({(0, 0): 1}, 1, 1))[0].tolist() == [0]
    suspected = PriorEvidence([0], [1], [9.0])
    assert find_copies(matrix({(0, 0): 1}, 1, 2), prior_evidence=suspected)[1] == ()


@given(st.integers(2, 6), st.integers(1, 30))
def test_sources_that_always_agree_are_no_copies(source_count: int, query_count: int) -> None:
    table = {(query, source): 3 for query in range(query_count) for source in range(source_count)}
    assert find_copies(matrix(table, query_count, source_count))[1] == ()


@pytest.mark.parametrize("seed", [1, 1000, 1002, 1003, 1005])
def test_good_sources_that_agree_on_few_labels_are_no_copies(seed: int) -> None:
    """Joined they would count once, and the bad ones, who agree on what is wrong, would decide."""
    sample = draw(Scenario(9, 400, Prior.SPAMMER_HAMMER, 0.6, 2), np.random.default_rng(seed))
    assert not find_copies(sample.votes)[1]


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
