"""The encoder on this machine, whole or its lower layers alone."""

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from answering.e5.layers import E5Layers, States
from answering.e5.tokenizer import BEGIN, END, E5Tokenizer
from answering.e5.weights import E5Weights
from answering.errors import ModelRefused
from estimator.errors import installing

PACKAGES = ("onnx", "sentencepiece")
# The model was trained with these before a text.
QUESTION, PASSAGE = "query: ", "passage: "


def require_packages() -> None:
    """Raises `ModelRefused` without the extra `languages`."""
    if not all(map(find_spec, PACKAGES)):
        raise ModelRefused(f"multilingual-e5-small needs what runs it: {installing('languages')}.")


class E5Encoder:
    """The loaded model, or so many of its layers from below; safe for use by several threads at once.

    Raises `ModelDamaged`.
    """

    def __init__(self, layers: int | None = None) -> None:
        self.weights = weights = E5Weights.installed()
        self.tokenizer = E5Tokenizer(weights)
        self._layers = E5Layers(weights, range(weights.layers if layers is None else layers))
        width = weights.width
        self._positions = weights.floats("emb.pos").reshape(-1, width) + weights.floats("emb.type")[:width]
        self._scale, self._shift = weights.floats("emb.ln.w"), weights.floats("emb.ln.b")

    def encode(self, text: str) -> States:
        """(384,) the mean of the states of its tokens; of a long text the first 510 count."""
        tokens = self.tokenizer.tokens(text)[: self.weights.positions - 2]
        return np.asarray(self.states([BEGIN, *tokens, END])[0].mean(axis=0), dtype=np.float32)

    def states(self, tokens: Sequence[int]) -> States:
        """(1, n, 384) the states of n tokens behind the last layer, at most 512."""
        rows = self.weights.matrix("emb.word", self.weights.width, list(tokens)).dequantized()
        return self._layers.states(self._normalized(rows + self._positions[: len(tokens)])[None])

    def _normalized(self, embedded: States) -> States:
        centred = embedded - embedded.mean(axis=1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + self.weights.epsilon)
        return np.asarray(centred / deviation * self._scale + self._shift, dtype=np.float32)
