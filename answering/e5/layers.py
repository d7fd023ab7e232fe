"""The layers of the encoder, as they are or as a pack trained them."""

from collections.abc import Mapping
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
# Of a matrix whose difference has a low rank: (n, rank) and (rank, k).
FACTORS = ("outer", "inner")

States: TypeAlias = NDArray[np.float32]
Differences: TypeAlias = Mapping[str, NDArray[Any]]


class E5Layers:
    """All layers, one upon the other; safe for use by several threads at once.

    `differences` are added to their weights. What training changed is small beside the weights: in blocks of 4 bits
    about as much of it is lost as 8 bits lose of those (0.9 times in the judge), and two factors of a low rank hold
    what lower layers need (Hu et al. 2021, arXiv:2106.09685).
    """

    def __init__(self, weights: E5Weights, differences: Differences | None = None) -> None:
        layers = (layer_weights(weights, number, differences) for number in range(weights.layers))
        graph = layers_graph(layers, width=weights.width, heads=weights.heads, epsilon=weights.epsilon)
        self._session = single_threaded(graph)

    def states(self, below: States) -> States:
        """(1, n, width) behind the layers, of those below them."""
        (states,) = self._session.run(None, {INPUT: below})
        return np.asarray(states, dtype=np.float32)


def layer_weights(weights: E5Weights, number: int, differences: Differences | None = None) -> LayerWeights:
    """Of a layer of the encoder, with the differences of a pack: `MATRICES` and `VECTORS`."""
    layer = {name: weights.floats(f"l{number}.{name}") for name in VECTORS}
    for name in MATRICES:
        columns = layer["fi.b"].size if name == "fo.w" else weights.width
        layer[name] = weights.matrix(f"l{number}.{name}", columns).dequantized()
    added = _added(differences, number) if differences else {}
    return {name: values + added[name] if name in added else values for name, values in layer.items()}


def _added(differences: Differences, number: int) -> dict[str, NDArray[np.float32]]:
    found = {}
    for name in (*MATRICES, *VECTORS):
        place = f"l{number}.{name}"
        if f"{place}.{FACTORS[0]}" in differences:
            outer, inner = (differences[f"{place}.{factor}"].astype(np.float32) for factor in FACTORS)
            found[name] = outer @ inner
        elif place in differences:
            kept = differences[place]
            found[name] = QuantizedMatrix.of_blocks(kept).dequantized() if name in MATRICES else kept
    return found


def differences_of(pack: CompactModel) -> Differences:
    """Those of a pack. Raises `ModelDamaged`."""
    with np.load(BytesIO(pack.content(DIFFERENCES))) as arrays:
        return dict(arrays)
