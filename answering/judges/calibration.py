"""The calibration of the compact judge: from its logits to probabilities."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from answering.text import squad_normalise


@dataclass(frozen=True, slots=True)
class Calibration:
    """`softmax(logits / temperature + bias)` (Guo et al. 2017, arXiv:1706.04599), and a shift by a look at the text.

    The biases correct for labels that are more frequent in training.
    """

    temperature: float = 1.0
    supports: float = 0.0
    contradicts: float = 0.0
    """The biases; that of irrelevant is 0."""
    stands: float = 0.0
    """Added to the logit of supports where the answer of the claim occurs in the passage, word for word."""
    absent: float = 0.0
    """Subtracted from it where the answer does not occur."""

    @classmethod
    def of(cls, settings: Mapping[str, float]) -> "Calibration":
        """The values among the settings of a model, chosen by `benchmarks.training.judge.release`."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in settings.items() if name in names})

    def probabilities(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """Logits of shape (n, 3) to probabilities of the same shape, every row summing to 1."""
        biases = np.array([self.supports, self.contradicts, 0.0])
        return np.asarray(softmax(logits.astype(np.float64) / self.temperature + biases, axis=1))

    def with_occurrence(self, probabilities: NDArray[np.float64], occurs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities (n, 3), shifted by whether the answer occurs in the passage: 1, 0, or NaN without an answer."""
        shift = np.zeros_like(probabilities)
        shift[:, 0] = np.where(np.isnan(occurs), 0.0, np.where(occurs == 1, self.stands, -self.absent))
        return np.asarray(softmax(np.log(probabilities + 1e-12) + shift, axis=1))


def answer_occurs(claim: str, passage: str) -> bool | None:
    """Whether the answer in a claim by `claim_of` occurs in the passage, word for word; None for other claims."""
    _, mark, answer = claim.partition("? ")
    words = squad_normalise(answer)
    if not mark or not words:
        return None
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", squad_normalise(passage)) is not None
