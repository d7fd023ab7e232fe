"""From scores to confidence, and from confidence to abstention: both on development data only.

A logistic regression of "the reading is right" on the margin of the span and on the answerable logit gives the
confidence. The threshold is the one at which the reader answers, of search results that hold no answer, the share that
earlier weights answered too: what a search finds is what it reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score


@dataclass(frozen=True, slots=True)
class Scored:
    """The best span of a passage: how it scored, whether it is the answer, whether there was one."""

    margin: float
    answerable: float
    right: bool
    has_answer: bool


ANSWERED_WITHOUT_ANSWER = 0.178
"""Of search results without an answer, what the weights of 2026-11-21 answered all the same."""


def calibrate(scored: Sequence[Scored], results: Sequence[Scored]) -> dict[str, float]:
    """The settings of a pack: bias, margin and answerable by all, the threshold by the search results."""
    right = np.array([example.right for example in scored])
    fitted = LogisticRegression(C=10.0).fit(_scores(scored), right)
    without = [result for result in results if not result.has_answer]
    confidence = fitted.predict_proba(_scores(without))[:, 1]
    return {
        "bias": float(fitted.intercept_[0]),
        "margin": float(fitted.coef_[0][0]),
        "answerable": float(fitted.coef_[0][1]),
        "threshold": round(float(np.quantile(confidence, 1 - ANSWERED_WITHOUT_ANSWER)), 3),
    }


@dataclass(frozen=True, slots=True)
class Quality:
    """How well confidence tells right readings from others, whatever the threshold."""

    area: float
    """Under the receiver operating characteristic."""
    right: Mapping[float, float]
    """Of passages with an answer, the share read right where this share of those without one is answered."""


def quality(scored: Sequence[Scored], settings: Mapping[str, float]) -> Quality:
    """The quality of readings with and without an answer in their passage, by the settings of a pack."""
    confidence = _scores(scored) @ np.array([settings["margin"], settings["answerable"]])
    right = np.array([example.right for example in scored])
    has_answer = np.array([example.has_answer for example in scored])

    def right_at(answered: float) -> float:
        threshold = np.quantile(confidence[~has_answer], 1 - answered)
        return float((right & (confidence > threshold))[has_answer].mean())

    shares = (0.04, 0.08, ANSWERED_WITHOUT_ANSWER, 1.0)
    return Quality(float(roc_auc_score(right, confidence)), {share: right_at(share) for share in shares})


def _scores(scored: Sequence[Scored]) -> NDArray[np.float64]:
    """Margin and answerable logit (passages, 2)."""
    return np.array([[example.margin, example.answerable] for example in scored])
