"""Estimates from data frames."""

from collections.abc import Sequence

import numpy as np
import pytest

from estimator import EstimatorError, estimate_frame

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
