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
    stands: float = 0.0
    """More for supports where the answer of the claim stands in the passage, word for word."""
    absent: float = 0.0
    """Less for supports where it does not."""

    @classmethod
    def of(cls, settings: Mapping[str, float]) -> "Calibration":
        """What `benchmarks.training.judge.release` chose on development data; none where nothing was chosen."""
        return cls(
            temperature=settings.get("temperature", 1.0),
            supports=settings.get("supports", 0.0),
            contradicts=settings.get("contradicts", 0.0),
            stands=settings.get("stands", 0.0),
            absent=settings.get("absent", 0.0),
        )

    def probabilities(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n, 3) to (n, 3), every row summing to 1."""
        shifted = logits.astype(np.float64) / self.temperature + np.array([self.supports, self.contradicts, 0.0])
        return _softmax(shifted)

    def with_witness(self, probabilities: NDArray[np.float64], stands: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 3) to (n, 3), by whether the answer stands in the passage: 1 or 0, NaN for claims without one."""
        shift = np.zeros_like(probabilities)
        shift[:, 0] = np.where(np.isnan(stands), 0.0, np.where(stands == 1, self.stands, -self.absent))
        return _softmax(np.log(probabilities + 1e-12) + shift)


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
