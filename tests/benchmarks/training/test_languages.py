"""The training of a reader of many languages: its encoder is the one that the service embeds with, its windows hold
the answers.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

import answering.e5
from answering.compact.model import CompactModel
from answering.compact.windows import windows
from answering.e5.encoder import E5Encoder
from answering.e5.tokenizer import BEGIN, END, E5Tokenizer
from answering.e5.weights import E5Weights, QuantizedMatrix
from answering.e5.window_model import E5WindowModel
from benchmarks.data.squad import Example

E5 = Path(answering.e5.__file__).parent
# The logits of what cannot be answered are far below.
EXCLUDED = -1e3
SENTENCES = {
    "Die Mühle von Brin wurde 1877 gebaut.": ("Wann wurde die Mühle von Brin gebaut?", "1877"),
    "東京は日本の首都です。": ("日本の首都はどこですか。", "東京"),
    "La capital de Perú es Lima.": ("¿Cuál es la capital de Perú?", "Lima"),
    "عاصمة مصر هي القاهرة": ("ما هي عاصمة مصر؟", "القاهرة"),
}


@pytest.fixture(autouse=True)
def _extras() -> None:
    for package in ("torch", "transformers", "sklearn"):
        pytest.importorskip(package, reason="needs the extra `train`")
    for package in ("onnx", "sentencepiece"):
        pytest.importorskip(package, reason="needs the extra `languages`")


def test_the_encoder_is_that_of_the_service_and_of_lower_layers_little_is_trained() -> None:
    import torch  # noqa: PLC0415  (of an extra)

    from benchmarks.training.languages.encoder import load_encoder  # noqa: PLC0415  (of an extra)

    weights = E5Weights.installed()
    encoder = load_encoder(weights)
    service, tokenizer = E5Encoder(), E5Tokenizer(weights)
    for text in SENTENCES:
        with torch.no_grad():
            states = encoder(torch.tensor([[BEGIN, *tokenizer.tokens(text), END]])).last_hidden_state
        mean, expected = states[0].mean(dim=0).numpy(), service.encode(text)
        assert mean @ expected / np.linalg.norm(mean) / np.linalg.norm(expected) > 0.998
    trained = [name.split(".", 3)[2:] for name, value in encoder.named_parameters() if value.requires_grad]
    assert {number for number, _ in trained} == set(map(str, range(12)))
    assert {name.rpartition(".")[2] for number, name in trained if int(number) < 6} == {"outer", "inner"}


def test_windows_hold_the_answers_and_others_hold_none() -> None:
    from benchmarks.training.languages.windows import make_windows  # noqa: PLC0415  (of an extra)

    tokenizer = E5Tokenizer(E5Weights.installed())
    pieces = E5Weights.installed().pieces()
    examples = [
        Example(question, passage, (passage.index(answer), passage.index(answer) + len(answer)), "made")
        for passage, (question, answer) in SENTENCES.items()
    ]
    windows = make_windows(tokenizer, [examples], Random(1))
    ends = np.cumsum(windows.lengths)
    answers = []
    for start, first, last in zip(ends - windows.lengths, windows.starts, windows.ends, strict=True):
        if last:
            tokens = windows.ids[start + first : start + last + 1]
            answers.append("".join(pieces[token] for token in tokens).replace("▁", " ").strip())
    assert sorted(answers) == sorted(answer for _, answer in SENTENCES.values())
    assert len(windows.lengths) == 2 * len(examples)
    assert sorted(np.bincount(windows.questions).tolist()) == [2] * len(examples)


def test_a_training_begins_where_a_pack_ended(tmp_path: Path) -> None:
    import torch  # noqa: PLC0415  (of an extra)

    from benchmarks.training.export import write_manifest  # noqa: PLC0415  (of an extra)
    from benchmarks.training.judge.model import OUTPUTS, JudgeModel  # noqa: PLC0415  (of an extra)
    from benchmarks.training.languages.encoder import load_encoder, load_pack  # noqa: PLC0415  (of an extra)
    from benchmarks.training.languages.export import export_pack  # noqa: PLC0415  (of an extra)
    from benchmarks.training.reader.model import ReaderModel  # noqa: PLC0415  (of an extra)
    from benchmarks.training.reader.pack import OUTPUTS as READER_OUTPUTS  # noqa: PLC0415  (of an extra)

    weights = E5Weights.installed()
    models: dict[str, tuple[ReaderModel | JudgeModel, Sequence[str]]] = {
        "reader": (ReaderModel(load_encoder(weights)), READER_OUTPUTS),
        "judge": (JudgeModel(load_encoder(weights)), OUTPUTS),
    }
    for name, (model, outputs) in models.items():
        load_pack(model, CompactModel.open(E5 / name))
        export_pack(model, outputs, weights, tmp_path / name)
        write_manifest(tmp_path / name, name, 224, {})
        pack, again = (E5WindowModel(CompactModel.open(folder / name)) for folder in (E5, tmp_path))
        for passage, (question, _) in SENTENCES.items():
            asked, tokens, above = pack.tokens(question, passage)
            (window,) = windows(asked, tokens.ids, context=above, max_tokens=224, marks=pack.marks)
            with torch.no_grad():
                begun = model.eval()(*map(torch.from_numpy, window.inputs.values()))
            for ended, logits, exported in zip(pack.outputs(window), begun, again.outputs(window), strict=True):
                allowed = logits.numpy() > EXCLUDED
                # A pack rounds activations to 8 bits.
                assert np.allclose(ended[allowed], logits.numpy()[allowed], atol=1.0)
                assert np.allclose(exported, ended, atol=0.2)


def test_blocks_of_four_bits_hold_a_matrix() -> None:
    pytest.importorskip("torch", reason="needs the extra `train`")
    from benchmarks.training.languages.export import blocks  # noqa: PLC0415  (of an extra)

    matrix = np.random.default_rng(7).normal(scale=0.01, size=(8, 64)).astype(np.float32)
    matrix[0] = 0
    kept = QuantizedMatrix.of_blocks(blocks(matrix)).dequantized()
    largest = np.abs(matrix.reshape(8, 2, 32)).max(axis=2, keepdims=True)
    assert (np.abs(kept - matrix).reshape(8, 2, 32) <= largest / 8 * 1.01).all()
