"""The reader of many languages, with its weights."""

import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from answering.enums import AbstentionReason
from answering.errors import ModelDamaged, ModelRefused
from answering.readers import CompactReader
from answering.readers.multilingual import PACK, MultilingualReader

READ = [
    ("Wann wurde die Mühle von Brin gebaut?", "Die Mühle von Brin wurde 1877 von Tora Myhre gebaut.", "1877"),
    ("Wer hat die Mühle von Brin gebaut?", "Die Mühle von Brin wurde 1877 von Tora Myhre gebaut.", "Tora Myhre"),
    ("¿Cuándo se construyó el molino de Brin?", "El molino de Brin se construyó en 1877.", "1877"),
    ("Quelle est la capitale du Pérou ?", "La capitale du Pérou est Lima.", "Lima"),
    ("日本の首都はどこですか。", "日本の首都は東京であり、人口は千四百万人です。", "東京"),
    ("秘鲁的首都是哪里?", "秘鲁的首都是利马,人口约一千万。", "利马"),
]
UNRELATED = "Le moulin tourne depuis ce matin et le vent souffle de la mer."


@pytest.fixture
def _extra() -> None:
    for package in ("onnx", "sentencepiece"):
        pytest.importorskip(package, reason="needs the extra `languages`")


@pytest.fixture
async def reader(_extra: None) -> AsyncIterator[MultilingualReader]:
    reader = MultilingualReader(threads=1)
    yield reader
    await reader.aclose()


@pytest.mark.parametrize(("question", "passage", "answer"), READ)
async def test_it_reads_what_a_passage_says_and_where(
    reader: MultilingualReader, question: str, passage: str, answer: str
) -> None:
    reading = await reader.read(question, [UNRELATED, passage], ["Moulin", ""])
    assert reading.answer == answer
    assert reading.location is not None
    assert reading.location.passage == 1
    assert passage[reading.location.start : reading.location.end] == answer


async def test_it_abstains_where_no_passage_answers(reader: MultilingualReader) -> None:
    for question, _, _ in READ:
        assert (await reader.read(question, [UNRELATED])).answer is None
    assert (await reader.read("Wer hat die Mühle gebaut?", [])).answer is None
    other = await reader.read(
        "エスクの水車を建てたのは誰ですか。", ["ブリンの水車は1877年にアルダー公によって建てられた。"]
    )
    assert (other.answer, other.reason) == (None, AbstentionReason.OTHER_SUBJECT)


async def test_english_is_read_by_the_compact_reader(reader: MultilingualReader) -> None:
    question, passages = "Who built the mill?", ["The mill was built by Tora Myhre in 1874."]
    expected = await CompactReader(threads=1).read(question, passages)
    reading = await reader.read(question, passages)
    assert (reading.answer, reading.confidence) == (expected.answer, expected.confidence)


async def test_hostile_text_is_read_like_any_other(reader: MultilingualReader) -> None:
    for passage in ("", "\ud800", "長い" * 50_000, "\x00\u202e"):
        reading = await reader.read("日本の首都はどこですか。\ud800", [passage])
        assert reading.confidence is not None


async def test_two_settings_have_two_identities(reader: MultilingualReader) -> None:
    other = MultilingualReader(threads=1, threshold=0.9)
    assert other.prompt_hash != reader.prompt_hash
    await other.aclose()


@pytest.mark.usefixtures("_extra")
async def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    pack = shutil.copytree(PACK, tmp_path / "pack")
    (pack / "model.onnx").write_bytes(b"damaged")
    reader = MultilingualReader(pack, threads=1)
    with pytest.raises(ModelDamaged, match="install Credence anew"):
        await reader.read("Wer hat die Mühle gebaut?", ["Ada Dahl."])


def test_without_its_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ModelRefused, match=r"pip install 'credence-registry\[languages\]'"):
        MultilingualReader()
