"""A web server, and what may be fetched from it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from ipaddress import ip_network

import pytest

from registry.connectors import fetching
from registry.connectors.fetching import Fetcher, Limits
from registry.runtime import Runtime
from tests.fakes.web_server import FakeWebServer

LOOPBACK = ip_network("127.0.0.0/8")


@pytest.fixture
async def web() -> AsyncIterator[FakeWebServer]:
    async with FakeWebServer() as server:
        yield server


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    """Fetches from loopback, half a second and 100,000 bytes at most."""
    async with Fetcher(Limits(seconds=0.5, max_bytes=100_000, networks=(LOOPBACK,))) as fetcher:
        yield fetcher


@pytest.fixture
def local(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> Runtime:
    """A runtime whose connectors may fetch from loopback, half a second each."""
    monkeypatch.setattr(fetching, "SECONDS", 0.5)
    values = {"connector_networks": (LOOPBACK,), "connector_max_bytes": 100_000}
    return replace(runtime, settings=runtime.settings.model_copy(update=values))
