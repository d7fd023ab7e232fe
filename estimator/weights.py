"""The weight of the vote of a source, given its reliability w and the number of labels L."""

import math
from typing import Final

import numpy as np

from estimator.arrays.types import Floats

# A reliability of 0 or 1 would weigh more than any number of other votes, so a weight is taken inside these bounds.
_LEAST, _MOST = 0.01, 0.99
_EDGE: Final = 1e-6
_ROUNDING: Final = 1e-9


def accuracy_weight(reliability: float, labels: int) -> float:
    """`L w - 1`, the weight of iterative weighted majority voting (RA-RAG section 3.3, arXiv:2410.22954).

    >>> accuracy_weight(0.75, 4)
    2.0
    """
    return _unrounded(labels * reliability - 1)


def log_odds_weight(reliability: float, labels: int) -> float:
    """`log(w / (1 - w)) + log(L - 1)`, the optimal weight of independent votes (Nitzan & Paroush 1982,
    doi:10.2307/2526438, for L labels), with w clipped to [0.01, 0.99].

    >>> round(log_odds_weight(0.75, 2), 6)
    1.098612
    """
    inside = min(max(reliability, _LEAST), _MOST)
    return _unrounded(math.log(inside / (1 - inside)) + math.log(max(labels - 1, 1)))


def _unrounded(weight: float) -> float:
    """0 for what is rounding: a source at chance, as one that is right in a tenth of ten labels, counts nothing."""
    return 0.0 if abs(weight) < _ROUNDING else weight


def clip_reliability(reliability: Floats) -> Floats:
    """The reliabilities, clipped to between 0 and 1 so that their log odds are finite."""
    return np.clip(reliability, _EDGE, 1 - _EDGE)


def log_odds(reliability: Floats) -> Floats:
    """`log(w / (1 - w))`, elementwise and finite."""
    clipped = clip_reliability(reliability)
    odds: Floats = np.log(clipped) - np.log1p(-clipped)
    return odds
