"""Layers of the encoder as an ONNX graph over the quantized weights, which stay quantized, with activations of 8 bits.

All twelve take 13 MB; as float32 85 MB and as long.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.e5.weights import BLOCK, E5Weights

INPUT, OUTPUT = "embedded", "states"
OPSET, IR_VERSION = 18, 10
CONTRIBUTED = "com.microsoft"
# Of `MatMulNBits`: products of integers, exact for weights of 4 bits, with activations in blocks as the weights are.
INTEGERS = 4


def encoder_graph(weights: E5Weights, layers: int) -> bytes:
    """A serialized model: (1, n, width) embedded tokens to (1, n, width), their states behind so many layers."""
    return _Graph(weights).serialized(layers)


class _Graph:
    """Nodes and weights are added layer by layer; methods take the names of values and return those of results."""

    def __init__(self, weights: E5Weights) -> None:
        import onnx  # noqa: PLC0415  (of an extra)

        self._onnx = onnx
        self._weights = weights
        self._nodes: list[Any] = []
        self._initializers: list[Any] = []

    def serialized(self, layers: int) -> bytes:
        states = self._normalized(INPUT, "emb.ln")
        for layer in range(layers):
            states = self._layer(states, f"l{layer}.")
        helper, float_type = self._onnx.helper, self._onnx.TensorProto.FLOAT
        self._nodes.append(helper.make_node("Identity", [states], [OUTPUT]))
        width = self._weights.width
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info(INPUT, float_type, [1, "tokens", width])],
            [helper.make_tensor_value_info(OUTPUT, float_type, [1, "tokens", width])],
            self._initializers,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIBUTED, 1)]
        serialized: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION).SerializeToString()
        return serialized

    def _layer(self, states: str, prefix: str) -> str:
        """A layer of BERT (Devlin et al. 2019, arXiv:1810.04805): attention, then two linear maps, each added."""
        width = self._weights.width
        parts = [self._linear(states, prefix + name, width) for name in "qkv"]
        attended = self._node("MultiHeadAttention", parts, CONTRIBUTED, num_heads=self._weights.heads)
        attended = self._linear(attended, prefix + "ao", width)
        states = self._normalized(self._node("Add", [states, attended]), prefix + "aln")
        inner = self._linear(states, prefix + "fi", width)
        inner_width = self._weights.floats(prefix + "fi.b").size
        outer = self._linear(self._node("Gelu", [inner], CONTRIBUTED), prefix + "fo", inner_width)
        return self._normalized(self._node("Add", [states, outer]), prefix + "oln")

    def _linear(self, value: str, name: str, columns: int) -> str:
        matrix = self._weights.matrix(f"{name}.w", columns)
        low, high = matrix.values[..., 0::2], matrix.values[..., 1::2]
        packed = self._constant(f"{name}.w", low | high << 4)
        scales = self._constant(f"{name}.scales", matrix.scales)
        bias = self._constant(f"{name}.b", self._weights.floats(f"{name}.b"))
        return self._node(
            "MatMulNBits",
            [value, packed, scales, "", "", bias],
            CONTRIBUTED,
            K=columns,
            N=len(matrix.scales),
            bits=4,
            block_size=BLOCK,
            accuracy_level=INTEGERS,
        )

    def _normalized(self, value: str, name: str) -> str:
        scale, shift = (self._constant(f"{name}.{part}", self._weights.floats(f"{name}.{part}")) for part in "wb")
        return self._node("LayerNormalization", [value, scale, shift], epsilon=self._weights.epsilon)

    def _constant(self, name: str, values: NDArray[Any]) -> str:
        self._initializers.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, operator: str, inputs: Sequence[str], domain: str = "", **attributes: object) -> str:
        result = f"{operator}.{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, [result], domain=domain, **attributes))
        return result
