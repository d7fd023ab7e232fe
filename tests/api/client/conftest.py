"""A service on a real socket."""

from collections.abc import Iterator

import pytest

from answering.embedders import Embedder
from registry.platform.settings import Settings
from tests.api.http.conftest import serving
from tests.registry.world import colour_reader


@pytest.fixture
def live(settings: Settings, embedder: Embedder) -> Iterator[str]:
    with serving(settings, colour_reader(), embedder) as url:
        yield url
