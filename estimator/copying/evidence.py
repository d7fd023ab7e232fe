"""Evidence that two sources copy: agreement that their reliabilities do not explain."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaln, xlogy

from estimator.arrays.types import Floats
from estimator.copying.pairs import Pairs

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What P pairs share beyond what they would if they were independent; all arrays are (P,)."""

    explained: Floats
    """Agreement expected of independent sources of these reliabilities."""
    copied_share: Floats
    """Share of answers taken over, such that `agreement = copied + (1 - copied) * explained`."""
    log_odds: Floats
    """That a pair copies more than the threshold; minus infinity where the share itself is below."""


def compare(pairs: Pairs, reliability: Floats, wrong_agreement: float, by_labels: Floats, least: float) -> Evidence:
    """Evidence of every pair under reliabilities (N,).

    Independent sources agree where both are right, and where both are wrong with probability `wrong_agreement`; or,
    where labels are few, as often as their frequencies of labels make them, `by_labels` (P,). A copier copies a share
    that is uniform above `least`; a source that is merely similar, one uniform below. Either is expected once for each
    source, so that a pair has prior odds of 1 to N, and no amount of weak similarity adds up to a copy.
    """
    first, second = reliability[pairs.first], reliability[pairs.second]
    explained = np.maximum(first * second + (1 - first) * (1 - second) * wrong_agreement, by_labels)
    share = ((pairs.agreement - explained) / (1 - explained)).clip(0.0, 1.0)
    log_odds = np.where(pairs.overlap > 0, -np.inf, pairs.prior_log_odds - np.log(reliability.size + 1))
    above = np.flatnonzero(share > least)
    log_odds[above] = _log_odds(pairs.take(above), explained[above], least, reliability.size)
    return Evidence(explained, share, log_odds)


def _log_odds(pairs: Pairs, explained: Floats, least: float, source_count: int) -> Floats:
    threshold = explained + (1 - explained) * least
    counts = pairs.agreed + 1, pairs.overlap - pairs.agreed + 1
    below = betainc(*counts, threshold)
    copied = betaln(*counts) + np.log((1 - below) / (1 - threshold))
    similar = betaln(*counts) + np.log(np.maximum(below - betainc(*counts, explained), _TINY) / (threshold - explained))
    independent = xlogy(pairs.agreed, explained) + xlogy(pairs.overlap - pairs.agreed, 1 - explained)
    odds: Floats = pairs.prior_log_odds + copied - np.logaddexp(independent + np.log(source_count), similar)
    return odds
