"""Votes are sorted and stored compactly, and bad ones are refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from estimator import EstimatorError, VoteMatrix
from estimator.arrays import sorting
from estimator.arrays.sorting import sort_by_columns, sort_votes
from tests.tables import for_each


def build(query: ArrayLike, source: ArrayLike, answer: ArrayLike, *, queries: int = 4, sources: int = 3) -> VoteMatrix:
    return VoteMatrix.from_triples(query, source, answer, query_count=queries, source_count=sources)


def test_votes_come_back_in_order_of_query_answer_and_source() -> None:
    votes = build([2, 0, 0, 0], [1, 2, 0, 1], [5, 7, 7, 1])
    assert [column.tolist() for column in votes.triples()] == [[0, 0, 0, 2], [1, 0, 2, 1], [1, 7, 7, 5]]
    assert (votes.vote_count, votes.class_count) == (4, 3)


def test_arrays_are_read_only() -> None:
    votes = build([0], [0], [0])
    with pytest.raises(ValueError, match="read-only"):
        votes.source[0] = 1


@for_each("kind", [np.int8, np.uint16, np.int32, np.uint64, np.int64])
def test_any_integer_type_is_taken(kind: "type[np.integer[Any]]") -> None:
    votes = build(np.array([3], kind), np.array([2], kind), np.array([9], kind))
    assert [column.tolist() for column in votes.triples()] == [[3], [2], [9]]


@given(st.integers(1, 400), st.integers(1, 40))
def test_a_vote_takes_at_most_32_bytes(queries: int, sources: int) -> None:
    """Even where no two sources agree, so that every vote is a class of its own."""
    query, source = np.divmod(np.arange(queries * sources), sources)
    votes = build(query, source, source, queries=queries, sources=sources)
    arrays = (votes.source, votes.class_start, votes.class_query, votes.class_answer)
    assert sum(array.nbytes for array in arrays) <= 32 * votes.vote_count


ids: st.SearchStrategy[int] = st.integers(0, 3) | st.integers(0, 2**62)


@given(st.lists(st.tuples(st.integers(0, 2**31 - 2), st.integers(0, 2**31 - 2), ids), max_size=12))
def test_packed_and_column_wise_sorting_agree(triples: list[tuple[int, int, int]]) -> None:
    query, source, answer = (np.array([row[column] for row in triples], dtype=np.int64) for column in range(3))
    packed, by_columns = sort_votes(query, answer, source), sort_by_columns(query, answer, source)
    for name in ("source", "start", "query", "answer"):
        assert getattr(packed, name).tolist() == getattr(by_columns, name).tolist()


few: st.SearchStrategy[int] = st.integers(0, 4) | st.sampled_from([0, 2**31 - 2])


@given(st.lists(st.tuples(few, few, st.integers(0, 2)), max_size=60), st.integers(1, 9))
def test_votes_are_sorted_in_blocks_of_any_size(triples: list[tuple[int, int, int]], block: int) -> None:
    """Two votes of a source on a query are found, whether they are in one block or not."""
    query, source, answer = (np.array([row[column] for row in triples], dtype=np.int64) for column in range(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "_BLOCK", block)
        packed = sort_votes(query, answer, source)
    by_columns = sort_by_columns(query, answer, source)
    for name in ("source", "start", "query", "answer"):
        assert getattr(packed, name).tolist() == getattr(by_columns, name).tolist()
    assert packed.repeated == by_columns.repeated == (len({row[:2] for row in triples}) < len(triples))


def test_largest_ids_are_kept_exactly() -> None:
    largest = 2**63 - 1
    votes = build([2**31 - 2, 0], [2**31 - 2, 1], [largest, largest - 1], queries=2**31 - 1, sources=2**31 - 1)
    assert votes.triples()[2].tolist() == [largest - 1, largest]


EMPTY: NDArray[np.int64] = np.array([], dtype=np.int64)


@for_each(
    ("query", "source", "answer", "message"),
    [
        ([-1], [0], [0], "query holds -1; ids start at 0"),
        ([0], [-2], [0], "source holds -2; ids start at 0"),
        ([0], [0], [-1], "answer holds -1; ids start at 0, and an abstention is left out"),
        ([4], [0], [0], "query holds 4, but query_count is 4"),
        ([0], [3], [0], "source holds 3, but source_count is 3"),
        ([0, 1], [0], [0], "flat arrays of one length"),
        ([[0]], [[0]], [[0]], "flat arrays of one length"),
        ([0.5], [0], [0], "query holds float64; number its values"),
        ([0], [0], ["Paris"], "answer holds <U5; number its values"),
        ([0], [0], [True], "answer holds bool; number its values"),
        ([0], [0], np.array([2**63], dtype=np.uint64), "answer holds 9223372036854775808"),
        ([0], [0], [2**64], "answer holds object"),
    ],
)
def test_bad_votes_are_refused(query: ArrayLike, source: ArrayLike, answer: ArrayLike, message: str) -> None:
    with pytest.raises(EstimatorError, match=message.replace("<", r"\<")):
        build(query, source, answer)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 0, 2, 1]])
def test_two_votes_of_one_source_on_one_query_are_refused(order: list[int]) -> None:
    query, source, answer = np.array([0, 1, 1, 2])[order], np.array([2, 1, 1, 2])[order], np.array([0, 5, 6, 0])[order]
    with pytest.raises(EstimatorError, match=r"source 1 votes more than once on query 1 \(1 votes too many"):
        build(query, source, answer)


@for_each(("queries", "sources"), [(-1, 3), (3, -1), (2**31, 3), (3, 2**31)])
def test_impossible_counts_are_refused(queries: int, sources: int) -> None:
    with pytest.raises(EstimatorError, match="_count is"):
        build(EMPTY, EMPTY, EMPTY, queries=queries, sources=sources)
