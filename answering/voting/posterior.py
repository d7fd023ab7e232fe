"""The probabilities of answers, given the known reliabilities of those who give them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri, softmax

from answering.voting.voter import END_DEVIATE

Floats = NDArray[np.float64]

# Reliabilities beyond these would outweigh any number of other votes (`estimator.weights`).
_LEAST, _MOST = 0.01, 0.99
# Where the distribution of a reliability is looked at, as normal deviates: the middles of nine parts of equal mass.
_DEVIATES: Floats = ndtri((np.arange(9) + 0.5) / 9)


class Known(NamedTuple):
    """The knowledge of a reliability: in log odds it is normal to both sides of its middle."""

    middle: float
    lower: float
    """Ends of its 90 % interval."""
    upper: float
    read_share: float = 1.0
    """The share of readings that it holds for; the others are right by luck."""


def log_odds(known: Sequence[Known], luck: float) -> Floats:
    """(V, 9) log odds that votes are right, at the quantiles of the reliabilities of their V sources."""
    middle, lower, upper, read = np.array(known).T[..., None]
    middle, lower, upper = logit(np.clip([middle, lower, upper], _LEAST, _MOST))
    width = np.where(_DEVIATES < 0, np.maximum(middle - lower, 0.0), np.maximum(upper - middle, 0.0)) / END_DEVIATE
    right = expit(middle + _DEVIATES * width) * read + luck * (1 - read)
    return np.asarray(logit(np.clip(right, _LEAST, _MOST)))


def posterior(keys: Sequence[str], shares: Sequence[float], odds: Floats, wrong_answers: int) -> dict[str, float]:
    """The probability of each answer class by V votes for the classes `keys` that count these shares of a vote, of
    sources with these log odds (V, 9); what is missing to 1 is that of answers that nobody gave.

    The one-coin model with a uniform prior (the generator of RA-RAG section 4, arXiv:2410.22954): a source is right
    with probability w, else it gives one of W wrong answers, so that its vote is evidence of `log(w W / (1 - w))`. W is
    `wrong_answers`, or as many as were given besides the right one. The mean is over quantiles that all sources share,
    as what makes one estimate uncertain makes all of them so.

    >>> odds = log_odds([Known(0.9, 0.9, 0.9), Known(0.6, 0.6, 0.6)], luck=0.5)
    >>> {key: round(each, 2) for key, each in posterior(["oslo", "bergen"], [1.0, 1.0], odds, 1).items()}
    {'oslo': 0.86, 'bergen': 0.14}
    """
    classes = list(dict.fromkeys(keys))
    wrong = max(wrong_answers, len(classes) - 1, 1)
    number = {key: index for index, key in enumerate(classes)}
    evidence = np.zeros((len(classes) + 1, _DEVIATES.size))
    np.add.at(evidence, [number[key] for key in keys], (odds + np.log(wrong)) * np.array(shares)[:, None])
    unseen = wrong + 1 - len(classes)
    evidence[-1] = np.log(unseen) if unseen else -np.inf
    return dict(zip(classes, softmax(evidence, axis=0).mean(axis=1).tolist(), strict=False))
