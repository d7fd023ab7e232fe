"""The difficulty of queries at different times, from the votes of all sources."""

from typing import Final

import numpy as np

from estimator.arrays.types import Floats, Integers
from estimator.weights import log_odds

_INTERVALS: Final = 12


def difficulty_offsets(source: Integers, time: Floats, right: Floats, reliability: Floats, source_count: int) -> Floats:
    """(V,) what the log odds of being right were above those of the reliabilities, by the other sources' votes.

    `source`, `time`, the probability `right` that the vote is right and the `reliability` that its source has then are
    all (V,). Time is cut into intervals with equally many votes; a source's own votes do not count for its offset.
    """
    edges = np.quantile(time, np.linspace(0, 1, _INTERVALS + 1)[1:-1], method="inverted_cdf")
    interval = np.searchsorted(edges, time, side="left")
    cell = source * _INTERVALS + interval

    def of_others(value: Floats | None) -> Floats:
        own = np.bincount(cell, value, minlength=source_count * _INTERVALS).reshape(source_count, _INTERVALS)
        others: Floats = own.sum(axis=0) - own
        return others

    count = of_others(None) + 2
    offset = log_odds((of_others(right) + 1) / count) - log_odds((of_others(reliability) + 1) / count)
    of_vote: Floats = offset[source, interval]
    return of_vote
