"""The sets of numbers are read as they are, and errors are measured where the truth is known."""

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.data.number_sets import drawn, flights, forecasts


def written(path: Path, rows: Sequence[Sequence[object]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def test_times_are_minutes_and_the_first_claim_of_a_site_counts(tmp_path: Path) -> None:
    names = [("attribute", 0, "scheduled_departure"), ("attribute", 1, "departure_gate")]
    values = [("value", 0, "21:20"), ("value", 1, "21:25"), ("value", 2, "B7")]
    written(tmp_path / "names.csv.gz", [("table", "id", "name"), *names, *values])
    claims = [(0, 5, 0, 1, 0), (0, 5, 0, 1, 1), (0, 5, 0, 2, 1), (0, 5, 1, 2, 2), (0, 6, 0, 2, 2), (9, 5, 0, 1, 0)]
    written(tmp_path / "claims.csv.gz", [("day", "object", "attribute", "source", "value"), *claims])
    written(tmp_path / "gold.csv.gz", [("day", "object", "attribute", "value"), (0, 5, 0, 0), (0, 7, 0, 1)])
    found = flights(tmp_path, "scheduled_departure", days=3)
    assert (found.value.tolist(), found.truth.tolist(), found.source_count) == ([1280.0, 1285.0], [1280.0], 2)
    assert found.errors(np.array([1283.5])).tolist() == [3.5]


def test_forecasts_without_an_outcome_have_no_error(tmp_path: Path) -> None:
    rows = [("study", "forecaster", "probability"), ("a", "x", 0.8), ("b", "x", 0.1)]
    written(tmp_path / "forecasts.csv.gz", rows)
    written(tmp_path / "studies.csv.gz", [("study", "replicated"), ("a", 1)])
    found = forecasts(tmp_path)
    assert np.isnan(found.truth).tolist() == [False, True]
    np.testing.assert_allclose(found.errors(found.value), [0.2])


def test_ten_sources_vote_on_each_query_that_is_drawn() -> None:
    found = drawn(queries=20)
    assert np.bincount(found.query).tolist() == [10] * 20
    assert np.unique(found.query * 100 + found.source).size == found.query.size
