"""The benchmark of ingest writes the rows that ingest writes, and that of questions compares what it says."""

import pytest

from benchmarks.ingest import INSERT_ARRAYS, ROWS
from benchmarks.questions.searching import recall
from registry.passages.store.writer import STAGED_TYPES


def test_its_rows_are_those_of_the_staging_table() -> None:
    columns = (
        ROWS.removeprefix("SELECT ")
        .removesuffix(" FROM passages")
        .replace("'' AS ", "")
        .replace("NULL::text AS ", "")
        .split(", ")
    )
    assert len(columns) == len(STAGED_TYPES)
    assert INSERT_ARRAYS.endswith(f"AS given ({', '.join(columns)})")


def test_recall_is_the_mean_share_of_what_exact_search_found() -> None:
    assert recall([["a", "b"], ["c"], []], [["b", "x"], ["c", "d"], ["e"]]) == pytest.approx(0.75)
