"""Layers of the encoder, as they are or as a pack trained them."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from answering.compact.model import CompactModel, single_threaded
from answering.e5.graph import INPUT, LayerWeights, layers_graph
from answering.e5.weights import E5Weights, QuantizedMatrix

# Linear maps: to the queries, keys and values of attention and from its output, and the two behind it.
LINEAR = ("q", "k", "v", "ao", "fi", "fo")
NORMS = ("aln", "oln")
MATRICES = tuple(f"{name}.w" for name in LINEAR)
VECTORS = (*(f"{name}.b" for name in LINEAR), *(f"{name}.{part}" for name in NORMS for part in "wb"))
# A file of a pack, in which these lie by the number of the layer and the name of the weights ("l6.q.w").
DIFFERENCES = "layers.npz"

States: TypeAlias = NDArray[np.float32]
Differences: TypeAlias = Mapping[str, NDArray[Any]]


class E5Layers:
    """Some layers, one upon the other; safe for use by several threads at once.

    `differences` are added to their weights: those of vectors as floats, those of matrices in blocks of 4 bits:
    what training changed is small beside the weights, and 4 bits lose about as much of it as 8 lose of those (0.9 times
    in the judge).
    """

    def __init__(self, weights: E5Weights, numbers: Sequence[int], differences: Differences | None = None) -> None:
        layers = (layer_weights(weights, number, differences) for number in numbers)
        graph = layers_graph(layers, width=weights.width, heads=weights.heads, epsilon=weights.epsilon)
        self._session = single_threaded(graph)

    def states(self, below: States) -> States:
        """(1, n, width) behind the layers, of those below them."""
        (states,) = self._session.run(None, {INPUT: below})
        return np.asarray(states, dtype=np.float32)


def layer_weights(weights: E5Weights, number: int, differences: Differences | None = None) -> LayerWeights:
    """Of a layer of the encoder, with the differences of a pack of one that it trained: `MATRICES` and `VECTORS`."""
    layer = {name: weights.floats(f"l{number}.{name}") for name in VECTORS}
    for name in MATRICES:
        columns = layer["fi.b"].size if name == "fo.w" else weights.width
        layer[name] = weights.matrix(f"l{number}.{name}", columns).dequantized()
    if differences is None:
        return layer
    of_vectors = {name: differences[f"l{number}.{name}"] for name in VECTORS}
    of_matrices = {name: QuantizedMatrix.of_blocks(differences[f"l{number}.{name}"]).dequantized() for name in MATRICES}
    return {name: layer[name] + difference for name, difference in (of_vectors | of_matrices).items()}


def differences_of(pack: CompactModel) -> Differences:
    """Those of a pack. Raises `ModelDamaged`."""
    with np.load(BytesIO(pack.content(DIFFERENCES))) as arrays:
        return dict(arrays)
