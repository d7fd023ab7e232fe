"""A model server per test, and a reader that asks it."""

from collections.abc import AsyncIterator, Iterator

import pytest

from answering.models import OpenAIChat
from answering.readers import ChatReader
from tests.fakes.openai_server import FakeOpenAIServer


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


@pytest.fixture
async def chat_reader(server: FakeOpenAIServer) -> AsyncIterator[ChatReader]:
    reader = ChatReader(OpenAIChat(base_url=server.url, model="fake", api_key="secret"))
    yield reader
    await reader.aclose()
