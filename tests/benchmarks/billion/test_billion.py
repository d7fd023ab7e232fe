"""The world of the benchmark."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.billion import world
from estimator.distributed import estimate_files


def test_the_estimate_finds_the_world(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="votes in Parquet files need the extra `parquet`")
    small = world.World(20_000, sources=50)
    written = sum(world.write_file(small, tmp_path, number) for number in range(small.files))
    assert written == pytest.approx(20_000, rel=0.25)  # second votes of a source on a query are left out
    result = estimate_files([str(path) for path in tmp_path.iterdir()], "one_coin")
    assert result.totals["votes"] == written
    np.testing.assert_allclose(result.fit.reliability, small.reliability, atol=0.2)
