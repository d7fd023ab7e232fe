"""What rises over the second half of a run, beyond chance and beyond what nobody minds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.statistics import Interval, slope
from benchmarks.load.processes import Sample
from benchmarks.load.traffic import FOLLOWED, QUESTION, Request

BLOCKS = 10
"""Samples that follow each other are alike; the means of these parts of the second half are less so."""
SECONDS_AN_HOUR = 3600
LEAST_SHARE = 0.02
"""A rise over the second half by less than this share of the mean is none."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A series over the second half of a run."""

    name: str
    unit: str
    mean: float
    hourly: Interval
    """What it rises in an hour."""
    grows: bool | None
    """None where the run was too short to tell."""
    limit: str = ""
    """Of a series that moves freely below a limit, that limit."""


DATABASE_CONNECTIONS, CLIENT_CONNECTIONS = "connections to PostgreSQL", "connections of clients"
_SAMPLED: tuple[tuple[str, str, float, Callable[[Sample], float]], ...] = (
    ("memory of the service", "MiB", 0, lambda sample: sample.service),
    ("memory of a worker", "MiB", 0, lambda sample: sample.worker),
    ("memory of PostgreSQL", "MiB", 0, lambda sample: sample.postgres),
    (DATABASE_CONNECTIONS, "", 1, lambda sample: sample.database_connections),
    (CLIENT_CONNECTIONS, "", 1, lambda sample: sample.http_connections),
    ("jobs that wait", "", 1, lambda sample: sample.waiting),
    ("age of the oldest of them", "s", 1, lambda sample: sample.oldest),
)
TIMES = (50, 99)
"""Percentiles of the time of a question."""
CONFIDENCE = 1 - 0.05 / (len(_SAMPLED) + len(TIMES))
"""Of the interval of one series, so that all of them together hold in 95 of 100 runs (Bonferroni)."""
LEAST_SECONDS = 0.01
LEAST_RUN_SECONDS = 300
"""In shorter runs models are still loaded, and caches filled, in the second half."""


def trends(
    seconds: float, samples: Sequence[Sample], requests: Sequence[Request], *, most_connections: int, left_open: int
) -> list[Trend]:
    """The trends of a run that took so many seconds; each has its own least rise that counts.

    Pools open connections up to the `most_connections` of all processes; within these their number does not grow.
    Clients open as many as they need: of these those grow that were `left_open` when all clients had closed theirs.
    """
    half = np.linspace(seconds / 2, seconds, BLOCKS + 1)
    found = [
        _trend(name, unit, least, half, [(sample.at, value(sample)) for sample in samples], np.mean)
        for name, unit, least, value in _SAMPLED
    ]
    most = max(sample.database_connections for sample in samples)
    judged = {
        DATABASE_CONNECTIONS: (f"of at most {most_connections}", most > most_connections),
        CLIENT_CONNECTIONS: (f"{left_open} left open", left_open > 0),
    }
    found = [_judged(trend, *judged[trend.name]) if trend.name in judged else trend for trend in found]
    asked = [(request.at, request.seconds) for request in requests if request.kind in {QUESTION, FOLLOWED}]
    for share in TIMES:
        summary = partial(np.percentile, q=share)
        found.append(_trend(f"time of a question, p{share}", "s", LEAST_SECONDS, half, asked, summary))
    return found


def _judged(trend: Trend, limit: str, exceeded: bool) -> Trend:
    return replace(trend, limit=limit, grows=None if trend.grows is None else exceeded)


def _trend(
    name: str,
    unit: str,
    least: float,
    borders: NDArray[np.float64],
    points: Sequence[tuple[float, float]],
    summary: Callable[[NDArray[np.float64]], np.floating[Any]],
) -> Trend:
    at, values = np.array(points, dtype=np.float64).reshape(-1, 2).T
    middles, levels = [], []
    for first, last in pairwise(borders):
        inside = values[(first <= at) & (at < last)]
        if inside.size:
            middles.append((first + last) / 2)
            levels.append(float(summary(inside)))
    mean = float(np.mean(levels)) if levels else float("nan")
    each_second = slope(middles, levels, CONFIDENCE)
    rise = each_second.mean * (borders[-1] - borders[0])
    counts = rise > max(least, LEAST_SHARE * mean) and each_second.mean > each_second.half_width
    hourly = Interval(each_second.mean * SECONDS_AN_HOUR, each_second.half_width * SECONDS_AN_HOUR)
    too_short = borders[-1] < LEAST_RUN_SECONDS
    return Trend(name, unit, mean, hourly, grows=None if too_short else bool(counts))
