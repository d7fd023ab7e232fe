"""From scores to confidence, and from confidence to abstention: both on development data only.

A logistic regression of "the reading is right" on the margin of the span and on the answerable logit gives the
confidence. The threshold is the one at which the reader answers, of search results that hold no answer, the share that
earlier weights answered too: what a search finds is what it reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression


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
    scores = np.array([[example.margin, example.answerable] for example in scored])
    right = np.array([example.right for example in scored])
    fitted = LogisticRegression(C=10.0).fit(scores, right)
    without = [[result.margin, result.answerable] for result in results if not result.has_answer]
    confidence = fitted.predict_proba(np.array(without))[:, 1]
    return {
        "bias": float(fitted.intercept_[0]),
        "margin": float(fitted.coef_[0][0]),
        "answerable": float(fitted.coef_[0][1]),
        "threshold": round(float(np.quantile(confidence, 1 - ANSWERED_WITHOUT_ANSWER)), 3),
    }
