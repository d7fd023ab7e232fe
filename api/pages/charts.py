"""Geometry of the charts, which templates draw as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

GOOD, FAIR = 0.75, 0.5


def grade(share: float | None) -> str:
    """`good`, `fair` or `poor`, by which styles colour a share; `none` where there is none."""
    if share is None:
        return "none"
    return "good" if share >= GOOD else "fair" if share >= FAIR else "poor"


def place(share: float) -> float:
    """The position of a share on an axis from 0 to 100, to a tenth."""
    return round(100 * min(max(share, 0.0), 1.0), 1)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The estimate of a source by one run."""

    run_id: UUID
    reliability: float
    lower: float | None
    upper: float | None
    number: int
    method: str | None
    note: str | None
    """Note on settings that differ from the run before; None if they do not."""

    @property
    def time(self) -> datetime:
        """When the run was requested, from its identifier (UUIDv7)."""
        return datetime.fromtimestamp((self.run_id.int >> 80) / 1000, UTC)


@dataclass(frozen=True, slots=True)
class PlacedPoint:
    """An estimate in the coordinates of its chart."""

    point: HistoryPoint
    x: float
    y: float
    lower: float
    """y of the lower end of the interval; that of the estimate itself without an interval."""
    upper: float


@dataclass(frozen=True, slots=True)
class HistoryChart:
    """Estimates with their intervals, evenly spaced in the order of their runs."""

    points: Sequence[PlacedPoint]
    width: int
    height: int
    left: int
    levels: Sequence[tuple[float, float]]
    """Shares with the y of their lines."""

    @property
    def line(self) -> str:
        """The points of the line through the estimates."""
        return " ".join(f"{placed.x},{placed.y}" for placed in self.points)

    @property
    def band(self) -> str:
        """The points of the area of the intervals."""
        upper = [f"{placed.x},{placed.upper}" for placed in self.points]
        return " ".join([*upper, *(f"{placed.x},{placed.lower}" for placed in reversed(self.points))])


WIDTH, HEIGHT, LEFT, MARGIN = 640, 200, 44, 14


def history_chart(points: Sequence[HistoryPoint]) -> HistoryChart:
    """The chart of a source's estimates; a single one stands in the middle."""
    space = WIDTH - LEFT - MARGIN
    step = space / (len(points) - 1) if len(points) > 1 else 0
    first = LEFT if len(points) > 1 else LEFT + space / 2
    placed = [
        PlacedPoint(
            point=point,
            x=round(first + step * number, 1),
            y=_level(point.reliability),
            lower=_level(point.reliability if point.lower is None else point.lower),
            upper=_level(point.reliability if point.upper is None else point.upper),
        )
        for number, point in enumerate(points)
    ]
    return HistoryChart(placed, WIDTH, HEIGHT, LEFT, [(share, _level(share)) for share in (0.0, 0.5, 1.0)])


def _level(share: float) -> float:
    """The y of a share."""
    return round(HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * min(max(share, 0.0), 1.0), 1)
