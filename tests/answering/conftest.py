"""A model server per test, and a reader that asks it."""

from collections.abc import AsyncIterator, Iterator

import pytest

from answering.readers import OpenAIReader
from tests.fakes.openai_server import FakeOpenAIServer


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


@pytest.fixture
async def openai_reader(server: FakeOpenAIServer) -> AsyncIterator[OpenAIReader]:
    reader = OpenAIReader(base_url=server.url, model="fake", api_key="secret")
    yield reader
    await reader.aclose()
