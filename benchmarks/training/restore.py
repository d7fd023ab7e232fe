"""The weights of a training, and those of a pack in 32 bits again, from which a training may go on."""

import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from answering.compact.model import MODEL

# Weights of linear layers lose their names in the graph, where they are multiplied from the other side.
_LAYER = re.compile(r"/encoder/encoder/(layer\.\d+)/(.*)/MatMul_quant")


def restore(model: nn.Module, pack: Path) -> None:
    """Load the weights of an 8-bit pack; word embeddings stay those of the encoder, since none is trained.

    Raises `KeyError` if the pack is of another architecture.
    """
    graph = onnx.load(pack / MODEL).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    names = {
        f"encoder.encoder.{match[1]}.{match[2].replace('/', '.')}.weight": node.input[1].removesuffix("_quantized")
        for node in graph.node
        if (match := _LAYER.fullmatch(node.name))
    } | {
        f"{node.name.split('/')[1]}.weight": node.input[1].removesuffix("_quantized")
        for node in graph.node
        if node.op_type == "MatMulInteger" and not node.name.startswith("/encoder")
    }
    state = model.state_dict()
    for name, weight in state.items():
        if name != "encoder.embeddings.word_embeddings.weight":
            values = _values(stored, names.get(name, name))
            values = values.T if name in names else values
            weight.copy_(torch.from_numpy(np.ascontiguousarray(values)).reshape(weight.shape))
    model.load_state_dict(state)


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
    integers, zero = stored[f"{name}_quantized"].astype(np.float32), stored[f"{name}_zero_point"]
    values: np.ndarray = (integers - zero.astype(np.float32)) * stored[f"{name}_scale"]
    return values
