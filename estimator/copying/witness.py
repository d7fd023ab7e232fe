"""Reasons outside the votes to suspect that two sources copy."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimator.copying.layout import Floats
from estimator.copying.pairs import Pairs
from estimator.errors import EstimatorError
from estimator.votes import Integers


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """Pairs of sources, in any order, with the log odds by which something else makes a copy of them likelier.

    Near-duplicate passages are one: log of (how often copiers have as many) over (how often others do).
    """

    first: ArrayLike
    second: ArrayLike
    log_odds: ArrayLike


def with_witness(pairs: Pairs, witness: Witness | None, source_count: int) -> tuple[Pairs, Floats]:
    """The pairs and those of the witness, none twice, and (P,) log odds to add for each."""
    if witness is None:
        return pairs, np.zeros(pairs.size)
    first, second = (np.asarray(side, dtype=np.int64) for side in (witness.first, witness.second))
    odds = np.asarray(witness.log_odds, dtype=np.float64)
    if not first.shape == second.shape == odds.shape or first.ndim != 1:
        message = "a witness names as many first sources as second ones and log odds"
        raise EstimatorError(message)
    _require_sources(first, second, source_count)
    told = np.minimum(first, second) * source_count + np.maximum(first, second)
    key, place = np.unique(np.concatenate((pairs.first * source_count + pairs.second, told)), return_inverse=True)
    added: Floats = np.bincount(place[pairs.size :], odds, minlength=key.size).astype(np.float64)
    return Pairs(key // source_count, key % source_count), added


def _require_sources(first: Integers, second: Integers, source_count: int) -> None:
    either = np.concatenate((first, second))
    if (first == second).any() or (either < 0).any() or (either >= source_count).any():
        message = f"a witness names pairs of different sources from 0 to {source_count - 1}"
        raise EstimatorError(message)
