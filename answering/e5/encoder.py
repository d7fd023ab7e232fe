"""The encoder on this machine, whole or its lower layers alone."""

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions

from answering.e5.graph import INPUT, encoder_graph
from answering.e5.tokenizer import BEGIN, END, E5Tokenizer
from answering.e5.weights import E5Weights
from answering.errors import ModelRefused
from estimator.errors import installing

PACKAGES = ("onnx", "sentencepiece")
# The model was trained with these before a text.
QUESTION, PASSAGE = "query: ", "passage: "

States = NDArray[np.float32]


def require_packages() -> None:
    """Raises `ModelRefused` without the extra `languages`."""
    if not all(map(find_spec, PACKAGES)):
        raise ModelRefused(f"multilingual-e5-small needs what runs it: {installing('languages')}.")


class E5Encoder:
    """The loaded model, or so many of its layers from below; safe for use by several threads at once.

    Raises `ModelDamaged`.
    """

    def __init__(self, layers: int | None = None) -> None:
        self._weights = E5Weights.installed()
        self.tokenizer = E5Tokenizer(self._weights)
        options = SessionOptions()
        options.intra_op_num_threads = 1
        graph = encoder_graph(self._weights, self._weights.layers if layers is None else layers)
        self._session = InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        width = self._weights.width
        self._positions = self._weights.floats("emb.pos").reshape(-1, width) + self._weights.floats("emb.type")[:width]

    def encode(self, text: str) -> States:
        """(384,) the mean of the states of its tokens; of a long text the first 510 count."""
        tokens = self.tokenizer.tokens(text)[: self._weights.positions - 2]
        return np.asarray(self.states([BEGIN, *tokens, END])[0].mean(axis=0), dtype=np.float32)

    def states(self, tokens: Sequence[int]) -> States:
        """(1, n, 384) the states of n tokens behind the last layer, at most 512."""
        rows = self._weights.matrix("emb.word", self._weights.width, list(tokens)).dequantized()
        (states,) = self._session.run(None, {INPUT: (rows + self._positions[: len(tokens)])[None]})
        return np.asarray(states, dtype=np.float32)
