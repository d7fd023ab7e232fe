"""Queries with several true answers."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import EstimatorError, SeveralAnswers, estimate_several, judge_several

Row = tuple[int, int, int]
QUERIES, SOURCES = 3, 4
ROWS = st.lists(st.tuples(st.integers(0, QUERIES - 1), st.integers(0, SOURCES - 1), st.integers(0, 5)), min_size=1)


def estimated(rows: list[Row]) -> SeveralAnswers:
    return estimate_several(*zip(*rows, strict=True), query_count=QUERIES, source_count=SOURCES)


@given(ROWS, st.randoms())
def test_neither_order_nor_repetition_matters(rows: list[Row], random: Random) -> None:
    shuffled = [*rows, random.choice(rows)]
    random.shuffle(shuffled)
    plain, other = estimated(rows), estimated(shuffled)
    for name in ("query", "answer", "probability", "sensitivity", "specificity"):
        np.testing.assert_allclose(getattr(other, name), getattr(plain, name))


@given(ROWS)
def test_each_answer_that_is_given_has_a_probability(rows: list[Row]) -> None:
    found = estimated(rows)
    pairs = set(zip(found.query.tolist(), found.answer.tolist(), strict=True))
    assert pairs == {(query, answer) for query, _, answer in rows}
    assert len(pairs) == found.query.size
    for shares in (found.probability, found.sensitivity, found.specificity):
        assert ((shares > 0) & (shares < 1)).all()


@given(ROWS)
def test_known_sources_judge_the_same_votes_alike(rows: list[Row]) -> None:
    fitted, (queries, sources, answers) = estimated(rows), zip(*rows, strict=True)
    again = judge_several(queries, sources, answers, fitted.sensitivity, fitted.specificity, query_count=QUERIES)
    np.testing.assert_allclose(again.probability, fitted.probability)
    for source in range(SOURCES):
        said = {(query, answer) for query, by, answer in rows if by == source}
        true = [p for q, a, p in zip(fitted.query, fitted.answer, fitted.probability, strict=True) if (q, a) in said]
        np.testing.assert_allclose(fitted.precision[source], np.mean(true) if true else np.nan)


@given(ROWS, st.permutations(range(SOURCES)))
def test_sources_may_be_numbered_in_any_way(rows: list[Row], numbers: list[int]) -> None:
    plain, other = estimated(rows), estimated([(query, numbers[source], answer) for query, source, answer in rows])
    np.testing.assert_allclose(other.probability, plain.probability)
    np.testing.assert_allclose(other.sensitivity[numbers], plain.sensitivity)


@given(st.sets(st.integers(0, 5), min_size=1))
def test_one_source_that_is_alone_is_believed(answers: set[int]) -> None:
    assert (estimated([(0, 0, answer) for answer in answers]).probability > 0.5).all()


def test_what_few_give_is_true_if_the_others_leave_much_out() -> None:
    random, rows = np.random.default_rng(2), list[Row]()
    right, invented = set[tuple[int, int]](), set[tuple[int, int]]()
    for query in range(300):
        for answer in range(3):
            right.add((query, answer))
            # Two sources know everything, five only the first answer each, and one makes up answers of its own.
            rows += [(query, source, answer) for source in (0, 1)]
            rows += [(query, source, answer) for source in range(2, 7) if answer == 0 or random.random() < 0.1]
        invented.add((query, 3))
        rows.append((query, 7, 3))
    found = estimate_several(*zip(*rows, strict=True), query_count=300, source_count=8)
    true = {
        (q, a)
        for q, a, p in zip(found.query.tolist(), found.answer.tolist(), found.probability, strict=True)
        if p > 0.5
    }
    assert true >= right
    assert not true & invented
    assert found.sensitivity[:2].min() > 0.9
    assert found.sensitivity[2:].max() < 0.6
    assert found.specificity[7] < found.specificity[:7].min()


@pytest.mark.parametrize(
    ("query", "source", "answer", "strength", "wrong"),
    [
        ([3], [0], [0], 1.0, "query_count"),
        ([0], [-1], [0], 1.0, "source holds -1; ids start at 0"),
        ([0], [0], [0.5], 1.0, "integers"),
        ([0, 1], [0], [0], 1.0, "one length"),
        ([0], [0], [0], 0.0, "prior_strength"),
    ],
)
def test_what_is_no_table_of_claims_is_refused(
    query: list[int], source: list[int], answer: list[float], strength: float, wrong: str
) -> None:
    with pytest.raises(EstimatorError, match=wrong):
        estimate_several(query, source, answer, query_count=QUERIES, source_count=SOURCES, prior_strength=strength)
