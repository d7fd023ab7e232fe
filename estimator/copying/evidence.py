"""Evidence that two sources copy: agreement that their reliabilities do not explain."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from estimator.arrays.types import Floats
from estimator.copying.pairs import Pairs

_STEPS: Final = 40
"""Copied shares are averaged over this many values on each side of the threshold."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What P pairs share beyond what they would if they were independent; all arrays are (P,)."""

    explained: Floats
    """Agreement expected of independent sources of these reliabilities."""
    copied_share: Floats
    """Share of answers taken over, such that `agreement = copied + (1 - copied) * explained`."""
    log_odds: Floats
    """That more than the threshold is copied; minus infinity where the share itself is below."""


def compare(
    pairs: Pairs, reliability: Floats, wrong_agreement: float, by_labels: Floats, least: float, log_prior: float
) -> Evidence:
    """Evidence of every pair under reliabilities (N,).

    Independent sources agree where both are right, and where both are wrong with probability `wrong_agreement`; or,
    where labels are few, as often as their frequencies of labels make them, `by_labels` (P,). `least` is the share
    that a copier copies, `log_prior` the log odds of copying before any vote is seen.
    """
    first, second = reliability[pairs.first], reliability[pairs.second]
    explained = np.maximum(first * second + (1 - first) * (1 - second) * wrong_agreement, by_labels).clip(0.001, 0.999)
    share = ((pairs.agreement - explained) / (1 - explained)).clip(0.0, 1.0)
    share = np.where(pairs.overlap > 0, share, least)
    prior = pairs.prior_log_odds + log_prior
    log_odds = np.where(pairs.overlap > 0, -np.inf, prior)
    above = np.flatnonzero((share > least) & (pairs.overlap > 0))
    log_odds[above] = prior[above] + _log_bayes_factor(pairs.take(above), explained[above], least, prior[above])
    return Evidence(explained, share, log_odds)


def _log_bayes_factor(pairs: Pairs, explained: Floats, least: float, prior: Floats) -> Floats:
    """Of a copied share uniform above `least` against none, or, as rarely as copying, one uniform below it, so that no
    amount of weak similarity adds up to a copy.
    """
    step = (np.arange(_STEPS) + 0.5) / _STEPS
    copied, independent = pairs.agreed, pairs.overlap - pairs.agreed

    def log_likelihood(share: Floats) -> Floats:
        agreeing = explained + (1 - explained) * share[:, None]
        terms = copied * np.log(agreeing) + independent * np.log1p(-agreeing)
        mean: Floats = np.logaddexp.reduce(terms, axis=0) - np.log(share.size)
        return mean

    much, little = log_likelihood(least + (1 - least) * step), log_likelihood(least * step)
    return much - np.logaddexp(log_likelihood(np.zeros(1)), np.minimum(prior, 0.0) + little)
