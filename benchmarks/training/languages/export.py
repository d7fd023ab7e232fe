"""What a training of many languages makes of the encoder, as a pack: the differences of its layers, and its heads."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from answering.e5.layers import DIFFERENCES, FACTORS, MATRICES, layer_weights
from answering.e5.weights import BLOCK, E5Weights
from benchmarks.training.export import export_model
from benchmarks.training.judge.model import JudgeModel
from benchmarks.training.languages.encoder import LAYER, LOWER_LAYERS, layer_state
from benchmarks.training.reader.model import ReaderModel

# Values of 4 bits are 0 to 15, of which this stands for 0; the largest of a block, up or down, gets the value 0.
_ZERO, _LAST = 8, 15


class Heads(nn.Module):
    """From the states (1, n, width) behind the last layer the outputs of the model."""

    def __init__(self, model: ReaderModel | JudgeModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.model.heads(states, torch.ones(states.shape[:2], dtype=torch.int64), None)


def export_pack(model: ReaderModel | JudgeModel, outputs: Sequence[str], weights: E5Weights, folder: Path) -> None:
    """Write the two files; the manifest is written with `write_manifest`."""
    export_model(Heads(model), {"states": torch.zeros(1, 16, weights.width)}, outputs, folder)
    np.savez_compressed(folder / DIFFERENCES, **differences(model, weights))


def differences(model: ReaderModel | JudgeModel, weights: E5Weights) -> dict[str, Any]:
    """What training added to the layers, as `E5Layers` takes it."""
    trained = model.encoder.state_dict()
    found = {}
    for number, name in product(range(LOWER_LAYERS), MATRICES):
        linear = model.encoder.encoder.layer[number].get_submodule(LAYER[name.partition(".")[0]])
        for factor, values in zip(FACTORS, linear.factors(), strict=True):
            found[f"l{number}.{name}.{factor}"] = values.numpy().astype("<f2")
    for number in range(LOWER_LAYERS, weights.layers):
        layer = layer_weights(weights, number)
        for name, (place, value) in zip(layer, layer_state(number, layer), strict=True):
            difference = (trained[place] - value).numpy()
            found[f"l{number}.{name}"] = blocks(difference) if name in MATRICES else difference
    return found


def blocks(matrix: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A matrix (n, k) in blocks of 4 bits (n, k / 32, 18), of which `QuantizedMatrix.of_blocks` makes it again."""
    values = matrix.reshape(len(matrix), -1, BLOCK)
    largest = np.take_along_axis(values, np.abs(values).argmax(axis=2, keepdims=True), axis=2)
    scales = (largest / -_ZERO).astype("<f2")
    factors = np.where(scales == 0, 1, scales).astype(np.float32)
    integers = np.clip(np.rint(values / factors) + _ZERO, 0, _LAST).astype(np.uint8)
    packed = integers[..., : BLOCK // 2] | integers[..., BLOCK // 2 :] << 4
    return np.concatenate([np.ascontiguousarray(scales).view(np.uint8), packed], axis=2)
