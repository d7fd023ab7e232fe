"""The benchmark of ingest writes the rows that ingest writes."""

from benchmarks.ingest import INSERT_ARRAYS, ROWS
from registry.passages.store.writer import STAGED_TYPES


def test_its_rows_are_those_of_the_staging_table() -> None:
    columns = ROWS.removeprefix("SELECT ").removesuffix(" FROM passages").replace("'' AS ", "").split(", ")
    assert len(columns) == len(STAGED_TYPES)
    assert INSERT_ARRAYS.endswith(f"AS given ({', '.join(columns)})")
