"""What the benchmark of questions compares."""

import pytest

from benchmarks.questions.searching import recall


def test_recall_is_the_mean_share_of_what_exact_search_found() -> None:
    assert recall([["a", "b"], ["c"], []], [["b", "x"], ["c", "d"], ["e"]]) == pytest.approx(0.75)
