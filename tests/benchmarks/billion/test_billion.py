"""The world of the benchmark, and its formula of times."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.billion import world
from benchmarks.billion.forecast import Forecast, Measured
from estimator.distributed import estimate_files

TRUE = Forecast(start=8.0, read=2e-7, round=2e-8, every=0.01, join=0.002)


def test_the_formula_finds_the_constants_of_exact_times() -> None:
    sizes = [(100_000_000, 1, 1), (100_000_000, 2, 2), (1_000_000, 1, 1), (1_000_000, 2, 2), (1_000_000, 8, 2)]
    measured = [
        Measured(v, w, c, 5, TRUE.start, v * TRUE.read / c, v * TRUE.round / c + TRUE.every + w * TRUE.join)
        for v, w, c in sizes
    ]
    found = Forecast.of(measured)
    assert found.seconds(1e10, 200, 200, 5) == pytest.approx(TRUE.seconds(1e10, 200, 200, 5))


def test_the_estimate_finds_the_world(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="votes in Parquet files need the extra `parquet`")
    small = world.World(20_000, sources=50)
    written = sum(world.write_file(small, tmp_path, number) for number in range(small.files))
    assert written == pytest.approx(20_000, rel=0.25)  # second votes of a source on a query are left out
    result = estimate_files([str(path) for path in tmp_path.iterdir()], "one_coin")
    assert result.totals["votes"] == written
    np.testing.assert_allclose(result.fit.reliability, small.reliability, atol=0.2)
