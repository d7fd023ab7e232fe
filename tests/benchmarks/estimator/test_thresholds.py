"""Bars of the copy search at other values, and rivals that number answers anew for each query."""

from collections import Counter

import numpy as np

from benchmarks.copies import datasets
from benchmarks.estimator.models import likeliest
from benchmarks.estimator.rivals import Integers, Output, with_answers_by_place
from benchmarks.estimator.thresholds import HALF_AND_DOUBLE, bar_at
from estimator.copying import find_copies
from tests.estimator.synthetic import draw_copies
from tests.estimator.tables import rows
from tests.tables import for_each


@for_each("bar", list(HALF_AND_DOUBLE))
def test_one_bar_at_another_value_finds_other_groups_and_then_counts_no_longer(bar: str) -> None:
    random = np.random.default_rng(0)
    votes = draw_copies(datasets.loose(random, 600), random).votes
    plain = find_copies(votes)[0].tolist()
    found = []
    for value in (HALF_AND_DOUBLE[bar][1], 0.01, 0.99):
        with bar_at(bar, value):
            found.append(find_copies(votes)[0].tolist())
    assert found[0] == plain
    assert any(groups != plain for groups in found[1:])
    assert find_copies(votes)[0].tolist() == plain


def test_answers_by_place_are_answers_again() -> None:
    votes = rows("7 7 9\n- - -\n5 4 4\n3 - -").votes()

    def most(query: Integers, _: Integers, answer: Integers) -> Output:
        counts: dict[int, Counter[int]] = {}
        for of, place in zip(query.tolist(), answer.tolist(), strict=True):
            counts.setdefault(of, Counter())[place] += 1
        assert int(answer.max()) == 1
        return {of: count.most_common(1)[0][0] for of, count in counts.items()}, {}

    assert with_answers_by_place(most, votes).tolist() == [7, -1, 4, 3]
    assert likeliest(votes, np.array([0.9, 0.1, 0.2, 0.8, 0.3])).tolist() == [7, -1, 5, 3]
