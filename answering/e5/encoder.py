"""The encoder on this machine."""

from importlib.util import find_spec

import numpy as np

from answering.e5.embeddings import E5Embeddings
from answering.e5.layers import E5Layers, States
from answering.e5.tokenizer import BEGIN, END
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
    """The loaded model; safe for use by several threads at once. Raises `ModelDamaged`."""

    def __init__(self) -> None:
        self._embeddings = E5Embeddings.shared()
        weights = self._embeddings.weights
        self._longest = weights.positions - 2
        self._layers = E5Layers(weights)

    def encode(self, text: str) -> States:
        """(384,) the mean of the states of its tokens; of a long text the first 510 count."""
        tokens = self._embeddings.tokenizer.tokens(text)[: self._longest]
        states = self._layers.states(self._embeddings.of([BEGIN, *tokens, END]))
        return np.asarray(states[0].mean(axis=0), dtype=np.float32)
