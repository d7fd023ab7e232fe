"""The weights of a training, and those of a pack in 32 bits again, from which a training may go on."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from answering.compact.model import MODEL

_QUANTIZED, _ZERO, _SCALE = "_quantized", "_zero_point", "_scale"
_EMBEDDED = "encoder.embeddings.word_embeddings.weight"


def restore(model: nn.Module, pack: Path) -> None:
    """Load the weights of an 8-bit pack; word embeddings stay those of the encoder, since none is trained.

    Raises `KeyError` if the pack is of another architecture.
    """
    packed = packed_weights(pack)
    state = model.state_dict()
    for name, weight in state.items():
        if name != _EMBEDDED:
            weight.copy_(packed[name].reshape(weight.shape))
    model.load_state_dict(state)


def packed_weights(pack: Path) -> dict[str, torch.Tensor]:
    """The weights of a pack in 32 bits, by the names that they had in training."""
    graph = onnx.load(pack / MODEL).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    names = {name.removesuffix(_QUANTIZED) for name in stored if not name.endswith((_ZERO, _SCALE))}
    values = {name: _values(stored, name) for name in names}
    after = {value: node for node in graph.node for value in node.input}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            # A linear layer: its weights, which were multiplied from the other side, lost their name; its bias did not.
            scaled = after[after[node.output[0]].output[0]]
            bias = next(value for value in after[scaled.output[0]].input if value in stored)
            values[f"{bias.removesuffix('bias')}weight"] = values.pop(node.input[1].removesuffix(_QUANTIZED)).T
    return {name: torch.from_numpy(np.ascontiguousarray(each)) for name, each in values.items()}


def load_trained(model: nn.Module, run: Path, *, blend: Path | None = None, share: float = 1.0) -> None:
    """Load the weights of the training in the folder `run`.

    With `blend`, a pack such as the one it started from, load the mean of both, in which the trained ones have this
    share (0 to 1): it keeps what either is better at (Wortsman et al. 2022, arXiv:2109.01903).
    """
    trained = torch.load(run / "checkpoint.pt", weights_only=True, map_location="cpu")["model"]
    if blend:
        restore(model, blend)
        packed = model.state_dict()
        trained = {name: torch.lerp(packed[name], weight, share) for name, weight in trained.items()}
    model.load_state_dict(trained)


def _values(stored: dict[str, np.ndarray], name: str) -> np.ndarray:
    if name in stored:
        return stored[name].astype(np.float32)
    integers, zero = stored[name + _QUANTIZED].astype(np.float32), stored[name + _ZERO]
    values: np.ndarray = (integers - zero.astype(np.float32)) * stored[name + _SCALE]
    return values
