"""Totals over all corpora, for those who watch the service."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from registry.models import EstimationRun


@dataclass(frozen=True, slots=True)
class ReadingTotals:
    """The readings of all estimations there ever were."""

    made: int = 0
    cached: int = 0
    failed: int = 0


async def reading_totals(session: AsyncSession) -> ReadingTotals:
    """Readings by where they came from; estimations of deleted corpora are not among them."""
    counts = (EstimationRun.readings_made, EstimationRun.readings_cached, EstimationRun.readings_failed)
    sums = select(*(func.coalesce(func.sum(count), 0) for count in counts))
    return ReadingTotals(*(int(total) for total in (await session.execute(sums)).one()))
