"""A runtime that can estimate, and estimates that are cheap, for tests of what is done with them."""

from dataclasses import replace

import pytest

from registry.runtime import Runtime
from tests.estimator.conftest import short_chains
from tests.registry.world import colour_reader

__all__ = ["reading", "short_chains"]


@pytest.fixture
def reading(runtime: Runtime) -> Runtime:
    """The runtime with a reader that finds the colours of towers."""
    return replace(runtime, reader=colour_reader())
