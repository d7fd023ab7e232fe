"""From scores to confidence, and from confidence to abstention: both on development data only.

A logistic regression of "the reading is right" on the margin of the span and on the answerable logit gives the
confidence. The threshold is where most passages with an answer are read right and fewest others answered: it maximises
the difference of the two shares (Youden 1950, doi:10.1002/1097-0142(1950)3:1<32), as a mean over sets of passages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score


@dataclass(frozen=True, slots=True)
class Scored:
    """The best span of a passage: how it scored, whether it is the answer, whether there was one.

    A passage that is not read, since it says nothing of the subject or has no fitting span, has a margin of minus
    infinity: whatever the settings, it is not answered.
    """

    margin: float
    answerable: float
    right: bool
    has_answer: bool


# Below every confidence of a passage that was read.
_UNREAD = -1e9
_THRESHOLDS = np.arange(0.05, 0.95, 0.01)


def calibrate(sets: Sequence[Sequence[Scored]], others: Sequence[Scored] = ()) -> dict[str, float]:
    """The settings of a pack: bias, margin and answerable by all passages, the threshold by each of the sets alike.

    `others` are passages that are drawn to be hard and not as often as they come: they choose no threshold.
    """
    scored = [example for example in (*chain.from_iterable(sets), *others) if np.isfinite(example.margin)]
    fitted = LogisticRegression(C=10.0).fit(_scores(scored), [example.right for example in scored])
    weights, bias = fitted.coef_[0], fitted.intercept_[0]
    index = np.mean([_youden(expit(_scores(examples) @ weights + bias), examples) for examples in sets], axis=0)
    return {
        "bias": float(fitted.intercept_[0]),
        "margin": float(fitted.coef_[0][0]),
        "answerable": float(fitted.coef_[0][1]),
        "threshold": round(float(_THRESHOLDS[np.argmax(index)]), 3),
    }


def _youden(confidence: NDArray[np.float64], scored: Sequence[Scored]) -> NDArray[np.float64]:
    """Of passages with an answer the share read right, less that of the others answered, at each threshold."""
    right = np.array([example.right for example in scored])
    has_answer = np.array([example.has_answer for example in scored])
    answered = confidence >= _THRESHOLDS[:, None]
    shares: NDArray[np.float64] = (answered & right)[:, has_answer].mean(axis=1) - answered[:, ~has_answer].mean(axis=1)
    return shares


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

    # At the third, the weights of 2026-11-21 answered search results; kept so that weights can be compared.
    shares = (0.04, 0.08, 0.178, 1.0)
    return Quality(
        float(roc_auc_score(right, np.maximum(confidence, _UNREAD))), {share: right_at(share) for share in shares}
    )


def _scores(scored: Sequence[Scored]) -> NDArray[np.float64]:
    """Margin and answerable logit (passages, 2)."""
    return np.array([[example.margin, example.answerable] for example in scored])
