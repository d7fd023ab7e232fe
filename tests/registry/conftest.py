"""A runtime that can estimate, and estimates that are cheap, for tests of what is done with them."""

from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import pytest

from estimator.methods import one_coin_sampling
from registry.runtime import Runtime
from tests.registry.world import colour_reader


@pytest.fixture
def reading(runtime: Runtime) -> Runtime:
    """The runtime with a reader that finds the colours of towers."""
    return replace(runtime, reader=colour_reader())


@pytest.fixture(autouse=True, scope="package")
def few_chains() -> Iterator[None]:
    """The posterior of small corpora is drawn with 12 chains, as that of larger ones, instead of 64."""
    with mock.patch.object(one_coin_sampling, "_CHAINS", (12, 12)):
        yield
