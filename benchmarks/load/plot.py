"""The run over its minutes, drawn: latency, memory, connections, jobs, storage."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.load.processes import Sample
from benchmarks.load.tables import milliseconds, questions
from benchmarks.load.traffic import Request

_WINDOWS = 60


def draw(seconds: float, samples: Sequence[Sample], requests: Sequence[Request], path: Path) -> None:
    """One panel for each unit, written as a PNG."""
    import matplotlib as mpl  # noqa: PLC0415 - the quick form draws nothing and needs no matplotlib

    mpl.use("agg")
    from matplotlib import pyplot  # noqa: PLC0415 - after its backend is chosen

    figure, axes = pyplot.subplots(2, 3, figsize=(14, 7), sharex=True)
    for axis, (title, curves) in zip(axes.flat, _panels(seconds, samples, requests).items(), strict=True):
        for name, (at, values) in curves.items():
            axis.plot([moment / 60 for moment in at], values, label=name, linewidth=1.5)
        axis.set_title(title)
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
        if len(curves) > 1:
            axis.legend(frameon=False)
    for axis in axes[-1]:
        axis.set_xlabel("minutes")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


_Curve = tuple[Sequence[float], Sequence[float]]


def _panels(seconds: float, samples: Sequence[Sample], requests: Sequence[Request]) -> dict[str, Mapping[str, _Curve]]:
    at = [sample.at for sample in samples]
    borders = np.linspace(0, seconds, _WINDOWS + 1)
    windows = [[each for each in questions(requests) if first <= each.at < last] for first, last in pairwise(borders)]
    asked = [number for number, window in enumerate(windows) if window]
    middles = [float(borders[number] + borders[number + 1]) / 2 for number in asked]
    times: Mapping[str, _Curve] = {
        f"p{share}": (middles, [milliseconds(windows[number], share) for number in asked]) for share in (50, 99)
    }
    failed = sorted(request.at for request in requests if request.failed)
    return {
        "time of a question, ms": times,
        "memory, MiB": {
            "service": (at, [sample.service for sample in samples]),
            "a worker": (at, [sample.worker for sample in samples]),
            "PostgreSQL": (at, [sample.postgres for sample in samples]),
        },
        "connections": {
            "to PostgreSQL": (at, [sample.database_connections for sample in samples]),
            "of clients": (at, [sample.http_connections for sample in samples]),
        },
        "jobs": {
            "waiting": (at, [sample.waiting for sample in samples]),
            "age of the oldest, s": (at, [sample.oldest for sample in samples]),
        },
        "database, MiB": {"": (at, [sample.database for sample in samples])},
        "failed requests so far": {"": ([0.0, *failed, seconds], [0, *range(1, len(failed) + 1), len(failed)])},
    }
