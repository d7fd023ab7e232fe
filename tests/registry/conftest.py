"""A runtime that can estimate, and estimates that are cheap, for tests of what is done with them."""

from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import pytest

from estimator import estimation as separate_runs
from registry.runtime import Runtime
from tests.estimator.conftest import short_chains
from tests.registry.world import colour_reader

__all__ = ["reading", "short_chains"]


@pytest.fixture
def reading(runtime: Runtime) -> Runtime:
    """The runtime with a reader that finds the colours of towers."""
    return replace(runtime, reader=colour_reader())


@pytest.fixture(autouse=True, scope="module")
def no_separate_runs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each run is estimated once, not five times more; a module of which `SEPARATE_RUNS` is true tests these."""
    if getattr(request.module, "SEPARATE_RUNS", False):
        yield
        return
    with mock.patch.object(separate_runs, "FEWEST_QUERIES", 1_000_000):
        yield
