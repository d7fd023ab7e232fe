"""Near-duplicate passages of different sources, as evidence of copying from outside the votes.

Passages are compared by locality-sensitive hashing of their MinHash signatures (Broder 1997,
doi:10.1109/SEQUEN.1997.666900): only pairs that agree in all places of one band are compared in full.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from estimator.arrays.types import Integers
from estimator.copying.pairs import PriorEvidence

Places = NDArray[np.uint32]
_BAND: Final = 4
# Pairs of passages that agree in a band, those first that few passages share: a bound of memory, not of judgement.
_MOST_PAIRS: Final = 500_000


def near_duplicate_evidence(
    source: Integers, places: Places, source_count: int, least_equal: float
) -> PriorEvidence | None:
    """Log odds of copying for pairs of sources, from the signatures (P, S) of passages and their sources (P,). Passages
    are near-duplicates whose signatures are equal in this share of their places; None if there are none.

    Of the n passages of the source that has fewer, d have a near-duplicate in the other. The log odds are the log Bayes
    factor of a share that is uniform over [0, 1], as a copier may have words of its own, against the share over all
    other pairs of sources with Laplace's rule, so that what everybody publishes is no evidence. Pairs whose log odds
    are not positive are left out.
    """
    first, second = near_duplicates(source, places, least_equal)
    if not first.size:
        return None
    pair = np.minimum(source[first], source[second]) * source_count + np.maximum(source[first], source[second])
    low = np.where(source[first] < source[second], first, second)
    high = first + second - low
    names, pair_index = np.unique(pair, return_inverse=True)
    shared = np.minimum(_distinct(pair_index, low, names.size), _distinct(pair_index, high, names.size))
    left, right = np.divmod(names, source_count)
    published = np.bincount(source, minlength=source_count)
    fewer = np.minimum(published[left], published[right])
    of_all_pairs = int((np.sort(published)[::-1] * np.arange(source_count)).sum())
    by_chance = (shared.sum() - shared + 1) / (of_all_pairs - fewer + 2)
    independent = shared * np.log(by_chance) + (fewer - shared) * np.log1p(-by_chance)
    log_odds = betaln(shared + 1, fewer - shared + 1) - independent
    positive = log_odds > 0
    return PriorEvidence(left[positive], right[positive], log_odds[positive]) if positive.any() else None


def near_duplicates(source: Integers, places: Places, least_equal: float) -> tuple[Integers, Integers]:
    """Distinct pairs of passages of different sources with similar signatures, as two arrays of positions."""
    candidates = [_equal_in_band(source, places[:, at : at + _BAND]) for at in range(0, places.shape[1], _BAND)]
    pairs = np.unique(np.concatenate(candidates), axis=0)
    similar = (places[pairs[:, 0]] == places[pairs[:, 1]]).mean(axis=1) >= least_equal
    return pairs[similar, 0], pairs[similar, 1]


def _equal_in_band(source: Integers, band: Places) -> Integers:
    """(Q, 2) pairs of passages of different sources that agree in all places of a band, the smaller position first."""
    order = np.lexsort(band.T)
    ordered = band[order]
    begins = np.flatnonzero(np.concatenate(([True], (ordered[1:] != ordered[:-1]).any(axis=1)))[: order.size])
    size = np.diff(begins, append=order.size)
    several, how_often = np.unique(size[size > 1], return_counts=True)
    rare = np.cumsum(how_often * several * (several - 1) // 2) <= _MOST_PAIRS
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for count in several[rare].tolist():
        together = order[begins[size == count][:, None] + np.arange(count)]
        first, second = np.triu_indices(count, 1)
        pairs.append(np.stack((together[:, first].ravel(), together[:, second].ravel()), axis=1))
    both = np.sort(np.concatenate(pairs), axis=1)
    apart: Integers = both[source[both[:, 0]] != source[both[:, 1]]]
    return apart


def _distinct(pair_index: Integers, passage: Integers, count: int) -> Integers:
    """(count,) number of distinct passages of each pair of sources."""
    pair = np.unique(np.stack((pair_index, passage)), axis=1)[0]
    return np.bincount(pair, minlength=count)
