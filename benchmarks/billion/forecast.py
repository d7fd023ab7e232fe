"""The time of a fit as a function of votes, workers and rounds, fitted to measured times.

    seconds = start + V read / W + rounds (V round / W + every + W join)

V votes and W workers; `read` and `round` are seconds a vote of one worker, `every` those of a round without votes, and
`join` those that each further worker adds to a round, whose N sums the driver adds up.
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
        """The constants that fit the measured times best; none is negative."""
        votes, workers = (
            np.array([getattr(fit, name) for fit in fits], dtype=np.float64) for name in ("votes", "workers")
        )
        rounds, read = (np.array([getattr(fit, name) for fit in fits]) for name in ("round", "read"))
        of_round, _ = nnls(np.stack([votes / workers, np.ones(votes.size), workers], axis=1), rounds)
        of_read = float((votes / workers) @ read / ((votes / workers) @ (votes / workers)))
        start = float(np.mean([fit.start for fit in fits]))
        return cls(start, of_read, *map(float, of_round))

    def seconds(self, votes: float, workers: int, rounds: int) -> float:
        """Of a whole fit."""
        each = votes * self.round / workers + self.every + workers * self.join
        return self.start + votes * self.read / workers + rounds * each
