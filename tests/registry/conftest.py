"""A runtime that can estimate."""

from dataclasses import replace

import pytest

from registry.runtime import Runtime
from tests.registry.world import colour_reader


@pytest.fixture
def reading(runtime: Runtime) -> Runtime:
    """The runtime with a reader that finds the colours of towers."""
    return replace(runtime, reader=colour_reader())
