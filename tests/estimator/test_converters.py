"""Votes from records, from Arrow and from Postgres come out as the same votes."""

import struct
from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import EstimatorError, VoteMatrix, estimate, estimate_frame, from_arrow, from_binary_copy, from_records
from estimator.converters import factorise
from tests.tables import for_each

names = st.text(max_size=3) | st.integers(-2, 2) | st.uuids().map(lambda uuid: UUID(int=uuid.int % 3))


@given(st.lists(names, max_size=30))
def test_numbers_stand_for_ids_in_order_of_appearance(column: list[object]) -> None:
    codes, ids = factorise(column)
    assert [ids[code] for code in codes] == column
    assert ids == list(dict.fromkeys(column))


def test_records_with_abstentions() -> None:
    named = from_records(["q1", "q1", "q2", "q1"], ["a", "b", "a", "c"], ["Oslo", "Bergen", None, "Oslo"])
    assert (named.queries, named.sources) == (["q1", "q2"], ["a", "b", "c"])
    assert named.votes.vote_count == 3
    answer = estimate(named.votes, "majority").answer
    assert named.answers[answer[0]] == "Oslo"
    assert answer[1] == -1


def test_records_of_different_lengths_are_refused() -> None:
    with pytest.raises(EstimatorError, match="of one length"):
        from_records(["q"], ["a", "b"], ["x", "y"])


def test_arrow_tables_give_the_votes_of_records() -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow comes with the benchmarks' packages")
    columns = (["q1", "q1", "q2", "q1"], ["a", "b", "a", "c"], ["Oslo", "Bergen", None, "Oslo"])
    table = arrow.table(dict(zip(("item", "who", "said"), columns, strict=True)))
    named, plain = from_arrow(table, query="item", source="who", answer="said"), from_records(*columns)
    assert [named.queries[0], *named.sources] == ["q1", "a", "b", "c"]
    assert named.votes.source.tolist() == plain.votes.source.tolist()
    assert named.votes.class_answer.tolist() == plain.votes.class_answer.tolist()
    halves = arrow.concat_tables([table.slice(0, 2), table.slice(2)])
    assert from_arrow(halves, query="item", source="who", answer="said").votes.vote_count == 3


def copied(rows: list[tuple[int, int, int]], fields: int = 3) -> bytes:
    body = b"".join(struct.pack(">hiqiqiq", fields, 8, query, 8, source, 8, answer) for query, source, answer in rows)
    return b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0) + body + struct.pack(">h", -1)


@given(st.lists(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 3), max_size=5))
def test_a_binary_copy_is_read_exactly(rows: list[tuple[int, int, int]]) -> None:
    columns = from_binary_copy(copied(rows))
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == rows


@for_each(
    ("data", "message"),
    [
        (b"", "not a whole"),
        (copied([(1, 2, 3)])[:-1], "not a whole"),
        (copied([(1, 2, 3)])[:30] + b"\xff\xff", "3 bigint"),
        (copied([(1, 2, 3)], fields=2), "3 bigint"),
    ],
)
def test_a_broken_copy_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(EstimatorError, match=message):
        from_binary_copy(data)


def test_building_takes_at_most_32_bytes_a_vote_beyond_the_input() -> None:
    import tracemalloc  # noqa: PLC0415 - counts NumPy's allocations while it runs

    random = np.random.default_rng(0)
    query, source = np.divmod(random.permutation(1_000_000), 100)
    answer = random.integers(10, size=query.size)
    tracemalloc.start()
    try:
        VoteMatrix.from_triples(query, source, answer, query_count=10_000, source_count=100)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 32 * query.size


Column = Sequence[object]


def crowd() -> dict[str, list[object]]:
    """Five workers on two hundred tasks with four labels; the last one repeats the worst of them."""
    random, rows = np.random.default_rng(5), list[tuple[object, object, object]]()
    for task in range(200):
        said = {
            worker: task % 4 if random.random() < right else int(random.integers(4))
            for worker, right in (("ann", 0.95), ("bob", 0.85), ("cid", 0.75), ("dee", 0.4))
        }
        rows += [(task, worker, label) for worker, label in (said | {"eve": said["dee"]}).items()]
    return {name: [row[place] for row in rows] for place, name in enumerate(("task", "worker", "label"))}


def test_sources_are_ranked_with_their_ids_and_copies() -> None:
    result = estimate_frame(crowd())
    rows = {row["source"]: row for row in result.sources}
    assert [row["source"] for row in result.sources][:3] == ["ann", "bob", "cid"]
    assert rows["dee"]["copy_group"] == rows["eve"]["copy_group"] == 0
    assert rows["ann"]["copy_group"] is None
    assert all(row["lower"] <= row["reliability"] <= row["upper"] for row in result.sources)
    right = [row["answer"] == row["query"] % 4 for row in result.queries]
    assert np.mean(right) > 0.9


def test_columns_have_the_names_that_are_given() -> None:
    frame = {{"task": "item", "worker": "model", "label": "said"}[name]: column for name, column in crowd().items()}
    with pytest.raises(EstimatorError, match=r"no column 'query' or 'task'; name it with query="):
        estimate_frame(frame)
    named = estimate_frame(frame, "majority", query="item", source="model", answer="said")
    assert named.queries == estimate_frame(crowd(), "majority").queries


def test_pandas_and_arrow_give_what_columns_give() -> None:
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    plain = estimate_frame(crowd()).sources
    assert estimate_frame(pandas.DataFrame(crowd())).sources == plain
    assert estimate_frame(pyarrow.table(crowd())).sources == plain


def test_missing_answers_are_abstentions() -> None:
    votes: dict[str, Column] = {"task": [1, 1, 2], "worker": ["a", "b", "a"], "label": ["x", None, float("nan")]}
    assert estimate_frame(votes, "majority").estimate.vote_count.tolist() == [1, 0]
