"""The time of a fit as a function of votes, workers and rounds, fitted to measured times.

    seconds = start + V read / C + rounds (V round / C + every + W join)

V votes and W workers on C cores, at most one for each worker; `read` and `round` are seconds a vote of one core,
`every` those of a round without votes, and `join` those that each worker adds to a round, whose N sums the driver adds
up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import nnls


@dataclass(frozen=True, slots=True)
class Measured:
    """One fit; times in seconds."""

    votes: int
    workers: int
    cores: int
    rounds: int
    start: float
    read: float
    round: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """The constants of the formula, in seconds."""

    start: float
    read: float
    round: float
    every: float
    join: float

    @classmethod
    def of(cls, fits: Sequence[Measured]) -> Self:
        """The constants that fit the measured times best, in proportion to these; none is negative."""
        share = np.array([fit.votes / fit.cores for fit in fits])
        rounds, read = (np.array([getattr(fit, name) for fit in fits]) for name in ("round", "read"))
        terms = np.stack([share, np.ones(share.size), [fit.workers for fit in fits]], axis=1)
        of_round, _ = nnls(terms / rounds[:, None], np.ones(share.size))
        of_read, _ = nnls((share / read)[:, None], np.ones(share.size))
        start = float(np.mean([fit.start for fit in fits]))
        return cls(start, float(of_read[0]), *map(float, of_round))

    def seconds(self, votes: float, workers: int, cores: int, rounds: int) -> float:
        """Of a whole fit."""
        each = votes * self.round / cores + self.every + workers * self.join
        return self.start + votes * self.read / cores + rounds * each
