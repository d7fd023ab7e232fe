"""Reading with a GGUF file."""

import asyncio
import sys
from pathlib import Path

import pytest

from answering.errors import ModelRefused, ModelUnavailable
from answering.readers import LlamaCppSpanReader


async def test_a_missing_file_is_named(tmp_path: Path) -> None:
    reader = LlamaCppSpanReader(str(tmp_path / "absent.gguf"))
    with pytest.raises(ModelRefused, match=r"absent\.gguf.*CREDENCE_READER_MODEL"):
        await reader.read("Who?", ["Somebody."])
    await reader.aclose()


async def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    path = tmp_path / "model.gguf"
    path.touch()
    with pytest.raises(ModelRefused, match=r"credence-registry\[local\]"):
        await LlamaCppSpanReader(str(path)).read("Who?", ["Somebody."])


async def test_nothing_is_loaded_before_the_first_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    reader = LlamaCppSpanReader("model.gguf")
    await reader.aclose()
    with pytest.raises(ModelUnavailable, match="closed"):
        await reader.read("Who?", ["Somebody."])


@pytest.mark.local_model
async def test_a_real_model_chooses_spans(gguf_model: str) -> None:
    reader = LlamaCppSpanReader(gguf_model)
    try:
        mill, absent, odd = await asyncio.gather(
            reader.read("Who built the mill at Lyng?", ["The mill at Lyng was built by Tora Myhre in 1874."]),
            reader.read("Who built the mill at Lyng?", ["Bread is cheap. Cats sleep in the barn."]),
            reader.read('What is "Lyng\\n" \x07?', ['Lyng is a "place\\with" marks, 漢字 and 😀 faces.']),
        )
    finally:
        await reader.aclose()
    assert mill.answer == "Tora Myhre"
    assert mill.usage.model_calls == 1
    assert mill.usage.input_tokens > mill.usage.output_tokens > 0
    assert absent.answer is None
    assert odd.answer is None or odd.answer.split()[0] in '"place\\with" marks, 漢字 and 😀 faces. Lyng'


@pytest.mark.local_model
async def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    path = tmp_path / "letter.gguf"
    path.write_text("Dear reader,")
    with pytest.raises(ModelRefused, match=r"letter\.gguf"):
        await LlamaCppSpanReader(str(path)).read("Who?", ["Somebody."])
