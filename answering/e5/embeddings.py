"""What the encoder makes of tokens before its first layer."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Self

import numpy as np

from answering.e5.layers import States
from answering.e5.tokenizer import E5Tokenizer
from answering.e5.weights import E5Weights


class E5Embeddings:
    """Of words and places, normalized; with the tokenizer. Raises `ModelDamaged`."""

    def __init__(self, weights: E5Weights) -> None:
        self.weights = weights
        self.tokenizer = E5Tokenizer(weights)
        width = weights.width
        self._places = weights.floats("emb.pos").reshape(-1, width) + weights.floats("emb.type")[:width]
        self._scale, self._shift = weights.floats("emb.ln.w"), weights.floats("emb.ln.b")

    @classmethod
    @lru_cache(maxsize=1)
    def shared(cls) -> Self:
        """Those that all models of a process share."""
        return cls(E5Weights.installed())

    def of(self, tokens: Sequence[int]) -> States:
        """(1, n, 384) of n tokens, at most 512."""
        words = self.weights.matrix("emb.word", self.weights.width, list(tokens)).dequantized()
        embedded = words + self._places[: len(tokens)]
        centred = embedded - embedded.mean(axis=1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + self.weights.epsilon)
        return np.asarray(centred / deviation * self._scale + self._shift, dtype=np.float32)[None]
