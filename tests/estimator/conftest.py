"""Posteriors that are cheap to draw, for tests of what is done with them."""

from collections.abc import Iterator
from unittest import mock

import pytest

from estimator.methods import one_coin_sampling


@pytest.fixture(autouse=True, scope="module")
def short_chains(request: pytest.FixtureRequest) -> Iterator[None]:
    """Twelve short chains instead of 64; a module of which `SAMPLES_IN_FULL` is true tests the samples themselves."""
    if getattr(request.module, "SAMPLES_IN_FULL", False):
        yield
        return
    with mock.patch.multiple(one_coin_sampling, _CHAINS=(12, 12), _BURN_IN=5, _KEPT=10):
        yield


@pytest.fixture
def too_large_to_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Posteriors are fitted, as where there are more answers than can be sampled in seconds."""
    monkeypatch.setattr(one_coin_sampling, "_LARGEST", 0)
