"""Geometry of the charts, which templates draw as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

GOOD, FAIR = 0.75, 0.5


def grade(share: float | None) -> str:
    """`good`, `fair` or `poor`, by which styles colour a share; `none` where there is none."""
    if share is None:
        return "none"
    return "good" if share >= GOOD else "fair" if share >= FAIR else "poor"


def place(share: float) -> float:
    """Where a share stands on an axis from 0 to 100, to a tenth."""
    return round(100 * min(max(share, 0.0), 1.0), 1)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """One estimate of a source."""

    time: datetime
    reliability: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class PlacedPoint:
    """An estimate in the coordinates of the chart."""

    x: float
    y: float
    low: float
    """y of the lower end of the interval; that of the point itself without an interval."""
    high: float
    point: HistoryPoint


WIDTH, HEIGHT, LEFT, RIGHT, MARGIN = 640, 180, 36, 12, 12


def history(points: Sequence[HistoryPoint]) -> list[PlacedPoint]:
    """The points of a line chart with their intervals, evenly spaced in the order of runs."""
    step = (WIDTH - LEFT - RIGHT) / max(len(points) - 1, 1)
    return [
        PlacedPoint(
            x=round(LEFT + step * number, 1) if len(points) > 1 else (WIDTH + LEFT - RIGHT) / 2,
            y=level(point.reliability),
            low=level(point.reliability if point.lower is None else point.lower),
            high=level(point.reliability if point.upper is None else point.upper),
            point=point,
        )
        for number, point in enumerate(points)
    ]


def level(share: float) -> float:
    """The y of a share in the line chart."""
    return round(HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * min(max(share, 0.0), 1.0), 1)
