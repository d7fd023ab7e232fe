"""Pairwise evidence of copying, against loops over votes and numbers computed by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.copying.evidence import Hypothesis, PairTables, SharedErrors, compare
from estimator.copying.layout import QueryClasses, SourceVotes
from estimator.copying.pairs import candidate_pairs
from estimator.copying.truth import Truth
from tests.estimator.tables import Case, cases


@given(cases(answers=4), st.data())
@settings(deadline=None)
def test_counts_agree_with_a_loop_over_votes(case: Case, data: st.DataObject) -> None:
    if case.source_count < 2 or not case.table:
        return
    votes = case.votes()
    right = np.array(data.draw(st.lists(st.floats(0, 0.97), min_size=votes.class_count, max_size=votes.class_count)))
    hypothesis = Hypothesis(np.arange(case.source_count), Truth(right, 0.2), np.diff(votes.class_start).astype(float))
    source_votes, classes = SourceVotes.of(votes), QueryClasses.of(votes)
    pairs = candidate_pairs(source_votes, classes)
    evidence = compare(PairTables.of(source_votes, classes, pairs), hypothesis)
    error = {
        (int(query), int(answer)): 1 - right[place]
        for place, (query, answer) in enumerate(zip(votes.class_query, votes.class_answer, strict=True))
    }
    for place, (i, j) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        both = [query for query in range(case.query_count) if {(query, i), (query, j)} <= case.table.keys()]
        wrong = sum(error[query, case.table[query, i]] for query in both)
        shared = sum(
            error[query, case.table[query, i]] for query in both if case.table[query, i] == case.table[query, j]
        )
        expected = _expected(case, error, _error_rate(case, error, j), i, j, both)
        expected = min(max(expected, _habitual(case, error, i, j, both)), wrong)
        assert evidence.of_first.wrong[place] == pytest.approx(wrong)
        assert evidence.of_first.shared[place] == pytest.approx(shared)
        assert evidence.of_first.expected[place] == pytest.approx(expected)


def _error_rate(case: Case, error: dict[tuple[int, int], float], source: int) -> float:
    """How often a source errs, smoothed by one right and one wrong vote."""
    mine = [(query, answer) for (query, other), answer in case.table.items() if other == source]
    return 1 - (sum(1 - error[vote] for vote in mine) + 1) / (len(mine) + 2)


def _expected(
    case: Case, error: dict[tuple[int, int], float], error_rate: float, i: int, j: int, both: list[int]
) -> float:
    """`(m + e_j q s) / (t + s)` for each wrong answer of i, with one pseudo-vote s and q = 0.2."""
    total, popular = 0.0, 0.0
    for query in both:
        voters = [answer for (other, _), answer in case.table.items() if other == query]
        mine, theirs = case.table[query, i], case.table[query, j]
        others = max(len(voters) - 2, 0) + 1
        popular += error[query, mine] * (voters.count(mine) - 1 - (mine == theirs)) / others
        total += error[query, mine] * error_rate * 0.2 / others
    return total + max(popular, 0.0)


def _habitual(case: Case, error: dict[tuple[int, int], float], i: int, j: int, both: list[int]) -> float:
    """Each wrong answer of i as often as j gives that label where it is wrong, with one pseudo-vote."""
    labels = set(case.table.values())
    mine = [(query, answer) for (query, other), answer in case.table.items() if other == j]

    def rate(label: int) -> float:
        other = {query: error.get((query, label), 1.0) for query, _ in mine}
        given = sum(other[query] for query, answer in mine if answer == label)
        return (given + 1 / len(labels)) / (sum(other.values()) + 1)

    return sum(error[query, case.table[query, i]] * rate(case.table[query, i]) for query in both)


def test_log_odds_depend_on_the_share_that_is_copied_and_not_on_the_count() -> None:
    """Of 1,000 wrong answers 300 are shared: certainly not by chance, and certainly not half of them."""
    errors = SharedErrors(np.array([1000.0, 1000.0, 10.0]), np.array([300.0, 700.0, 10.0]), np.array([50.0, 50.0, 0.5]))
    weak, strong, few = errors.log_odds(0.5, np.full(3, -2.0)).tolist()
    assert weak < -20 < 20 < strong
    assert 3 < few < 20
    assert errors.copied_share.tolist() == pytest.approx([250 / 950, 650 / 950, 1.0])


def test_without_wrong_answers_only_prior_evidence_counts() -> None:
    errors = SharedErrors(np.array([5.0, 0.0, 0.0, 5.0]), np.zeros(4), np.array([0.1, 0.0, 0.0, 0.1]))
    assert errors.log_odds(0.5, np.array([-2.0, 4.0, -2.0, 4.0])).tolist() == [-np.inf, 4.0, -np.inf, -np.inf]


def test_a_copier_with_errors_of_its_own_is_recognised_by_those_of_its_original() -> None:
    """The original errs 20 times, the copier repeats 18 of them and errs 80 times more by itself."""
    errors = SharedErrors(np.array([20.0]), np.array([18.0]), np.array([0.2]))
    reverse = SharedErrors(np.array([98.0]), np.array([18.0]), np.array([1.0]))
    prior = np.array([-2.0])
    assert errors.log_odds(0.5, prior)[0] > 8 > -8 > reverse.log_odds(0.5, prior)[0]
