"""Periods of a source that turned."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from registry.results.base import Result, Score


class ReliabilityPeriod(Result):
    """A time in which a source had one reliability."""

    since: datetime
    """When the first answer of this period was published."""
    until: datetime
    """When the last one was."""
    reliability: Score
    """Estimated share of the votes of this period that are right."""
    lower: Score
    """Lower end of its 90 % interval."""
    upper: Score
    """Upper end of it."""
    vote_count: Annotated[int, Field(ge=0)]
    """Votes of this period."""
    log_odds: float | None
    """Natural logarithm of the odds that the source turned at the start of this period; null for the first one."""
