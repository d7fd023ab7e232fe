"""Geometry of the charts that templates draw as SVG, with places across in percent of the width of the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from registry.sources.reliabilities import LEAST_VOTES

GOOD, FAIR = 0.75, 0.5
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
# In pixels: the space of a chart between its lowest and its highest share, and that above it.
HEIGHT, TOP = 160, 18
# Labels of runs under a history, which must fit a phone.
RUNS_LABELLED = 3


def grade(share: float | None) -> str:
    """`good`, `fair` or `poor`, by which styles colour a share; `none` where there is none."""
    if share is None:
        return "none"
    return "good" if share >= GOOD else "fair" if share >= FAIR else "poor"


def too_few(votes: int, *others: object) -> bool:
    """Whether an estimate from so many votes says too little of a source, and no other evidence is given."""
    return votes < LEAST_VOTES and all(each is None for each in others)


def place(share: float) -> float:
    """The position of a share on an axis from 0 to 100, to a tenth."""
    return round(100 * min(max(share, 0.0), 1.0), 1)


def level(share: float) -> float:
    """The y of a share in a chart."""
    return round(TOP + HEIGHT * (1 - place(share) / 100), 1)


def drop(share: float) -> float:
    """The height of a bar of a share."""
    return round(HEIGHT * place(share) / 100, 1)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The estimate of a source by one run."""

    run_id: UUID
    reliability: float
    lower: float | None
    upper: float | None
    vote_count: int
    number: int
    method: str | None
    note: str | None
    """Note on settings that differ from the run before; None if they do not."""
    events: Sequence[str]
    """What else the run found out, in sentences."""

    @property
    def time(self) -> datetime:
        """When the run was requested, from its identifier (UUIDv7)."""
        return datetime.fromtimestamp((self.run_id.int >> 80) / 1000, UTC)


def across(number: int, total: int) -> float:
    """The position of one of so many runs, counted from 0; a single one stands in the middle."""
    return round(100 * number / (total - 1), 2) if total > 1 else 50.0


def labelled(total: int) -> Sequence[int]:
    """The runs that have a label: the first, the last, and some between them."""
    last = RUNS_LABELLED - 1
    return sorted({round(part * (total - 1) / last) for part in range(RUNS_LABELLED)})
