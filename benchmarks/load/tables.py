"""The tables of a run: by phase, by kind of request, and what grows."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from benchmarks.harness import Cell
from benchmarks.load.processes import Sample
from benchmarks.load.traffic import FOLLOWED, QUESTION, Request
from benchmarks.load.trends import Trend

Row = list[Cell]
PHASES = 10
PHASE_COLUMNS = (
    *("from minute", "questions", "p50 ms", "p99 ms", "requests", "failed", "service", "worker", "Postgres"),
    *("its clients", "clients", "waiting", "oldest s", "on disk"),
)
KIND_COLUMNS = ("request", "number", "p50 ms", "p99 ms", "longest ms", "status")
VERDICTS = {None: "too short to tell", False: "does not grow", True: "GROWS"}
TREND_COLUMNS = ("over the second half", "mean", "rises in an hour by, 95 % for all together", "verdict")


def milliseconds(requests: Sequence[Request], share: float) -> float:
    """A percentile of their times; NaN where there are none."""
    return float(np.percentile([request.seconds for request in requests], share)) * 1e3 if requests else float("nan")


def questions(requests: Sequence[Request]) -> list[Request]:
    """The questions, those that were waited for and those that were followed."""
    return [request for request in requests if request.kind in {QUESTION, FOLLOWED}]


def phase_rows(seconds: float, samples: Sequence[Sample], requests: Sequence[Request]) -> list[Row]:
    """One row for each tenth of the run: memory, connections and storage at its end, jobs at their worst."""
    rows: list[Row] = []
    for first, last in pairwise(np.linspace(0, seconds, PHASES + 1)):
        sent = [request for request in requests if first <= request.at < last]
        seen = [sample for sample in samples if first <= sample.at < last]
        row: Row = [f"{first / 60:.1f}", len(questions(sent))]
        row += [f"{milliseconds(questions(sent), share):,.0f}" for share in (50, 99)]
        rows.append([*row, len(sent), sum(request.failed for request in sent), *_state(seen)])
    return rows


def _state(seen: Sequence[Sample]) -> Row:
    if not seen:
        return [None] * 8
    last = seen[-1]
    return [
        f"{last.service:.0f}",
        f"{last.worker:.0f}",
        f"{last.postgres:.0f}",
        last.database_connections,
        last.http_connections,
        max(sample.waiting for sample in seen),
        f"{max(sample.oldest for sample in seen):.1f}",
        f"{last.database:.0f}",
    ]


def kind_rows(requests: Sequence[Request]) -> list[Row]:
    """One row for each kind of request, with its statuses."""
    rows: list[Row] = []
    for kind in sorted({request.kind for request in requests}):
        sent = [request for request in requests if request.kind == kind]
        statuses = Counter(request.status for request in sent).most_common()
        times: Row = [f"{milliseconds(sent, share):,.0f}" for share in (50, 99, 100)]
        rows.append([kind, len(sent), *times, ", ".join(f"{status}: {count}" for status, count in statuses)])
    return rows


def trend_rows(trends: Sequence[Trend]) -> list[Row]:
    """One row for each series."""
    return [
        [
            f"{trend.name}, {trend.limit}" if trend.limit else trend.name,
            f"{trend.mean:,.2f} {trend.unit}".rstrip(),
            f"{trend.hourly.mean:+,.2f} ± {trend.hourly.half_width:,.2f} {trend.unit}".rstrip(),
            VERDICTS[trend.grows],
        ]
        for trend in trends
    ]
