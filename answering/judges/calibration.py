"""From the compact judge's logits to probabilities that can be taken at their word."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Calibration:
    """`softmax(logits / temperature + bias)` (Guo et al. 2017); the bias is for what training saw too often."""

    temperature: float = 1.0
    supports: float = 0.0
    contradicts: float = 0.0
    """The biases; that of irrelevant is 0."""

    @classmethod
    def of(cls, settings: Mapping[str, float]) -> "Calibration":
        """What `benchmarks.training.judge_release` chose on development data; none where nothing was chosen."""
        return cls(
            temperature=settings.get("temperature", 1.0),
            supports=settings.get("supports", 0.0),
            contradicts=settings.get("contradicts", 0.0),
        )

    def probabilities(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n, 3) to (n, 3), every row summing to 1."""
        shifted = logits.astype(np.float64) / self.temperature + np.array([self.supports, self.contradicts, 0.0])
        powers = np.exp(shifted - shifted.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))
