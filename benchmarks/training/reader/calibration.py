"""From scores to confidence, and from confidence to abstention: both on development data only.

A logistic regression of "the reading is right" on the margin of the span and on the answerable logit gives the
confidence. The threshold is where abstaining on passages without an answer and answering on the others are together
best.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """The best span of a passage: how it scored, whether it is the answer, whether there was one."""

    margin: float
    answerable: float
    right: bool
    has_answer: bool


def calibrate(scored: Sequence[Scored]) -> dict[str, float]:
    """The settings of a pack: bias, margin, answerable, threshold."""
    scores = np.array([[example.margin, example.answerable] for example in scored])
    right = np.array([example.right for example in scored])
    fitted = LogisticRegression(C=10.0).fit(scores, right)
    confidence = fitted.predict_proba(scores)[:, 1]
    return {
        "bias": float(fitted.intercept_[0]),
        "margin": float(fitted.coef_[0][0]),
        "answerable": float(fitted.coef_[0][1]),
        "threshold": _threshold(confidence, right, np.array([example.has_answer for example in scored])),
    }


def _threshold(confidence: Numbers, right: NDArray[np.bool_], has_answer: NDArray[np.bool_]) -> float:
    candidates = np.unique(np.round(confidence, 3))
    answered = confidence[None, :] >= candidates[:, None]
    kept = (answered & right).sum(1) / max(right.sum(), 1)
    abstained = (~answered & ~has_answer).sum(1) / max((~has_answer).sum(), 1)
    return float(candidates[np.argmax(kept + abstained)])
