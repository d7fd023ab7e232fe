"""Chat with a GGUF file."""

import asyncio
import sys
from pathlib import Path

import pytest

from answering.errors import ModelRefused, ModelUnavailable
from answering.models import LlamaCppChat, Sampling
from answering.readers import ChatReader


async def test_a_missing_file_is_named(tmp_path: Path) -> None:
    chat = LlamaCppChat(str(tmp_path / "absent.gguf"), max_tokens=8)
    with pytest.raises(ModelRefused, match=r"absent\.gguf.*CREDENCE_READER_MODEL"):
        await chat.complete("s", "m")
    await chat.aclose()


async def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    path = tmp_path / "model.gguf"
    path.touch()
    with pytest.raises(ModelRefused, match=r"credence-registry\[local\]"):
        await LlamaCppChat(str(path)).complete("s", "m")


async def test_a_closed_model_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    chat = LlamaCppChat("model.gguf", max_tokens=8)
    await chat.aclose()
    with pytest.raises(ModelUnavailable, match="closed"):
        await chat.complete("s", "m")


@pytest.mark.local_model
async def test_a_real_model_completes_and_reads(gguf_model: str) -> None:
    chat = LlamaCppChat(gguf_model, max_tokens=16)
    reader = ChatReader(chat)
    try:
        longer, shorter, reading = await asyncio.gather(
            chat.complete("You are brief.", "Say hello."),
            chat.complete("You are brief.", "Say hello.", sampling=Sampling(max_tokens=2)),
            reader.read("Who built the mill at Lyng?", ["The mill at Lyng was built by Tora Myhre."]),
        )
    finally:
        await reader.aclose()
    assert reading.raw
    assert reading.usage.output_tokens > 0
    assert longer.text
    assert longer.usage.input_tokens > 5
    assert shorter.usage.output_tokens <= 2 < longer.usage.output_tokens <= 16


@pytest.mark.local_model
async def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    path = tmp_path / "letter.gguf"
    path.write_text("Dear reader,")
    with pytest.raises(ModelRefused, match=r"letter\.gguf"):
        await LlamaCppChat(str(path)).complete("s", "m")
