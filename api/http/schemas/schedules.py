"""Schedules."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.schedules.times import next_runs

if TYPE_CHECKING:
    from registry.schedules.model import Schedule

SHOWN_RUNS = 3


class ScheduleView(View):
    """The schedule by which a corpus is estimated again, queries are written, or a connector runs."""

    id: UUID = Field(description="Identifier.")
    name: str = Field(description="Unique in the corpus.", examples=["nightly"])
    cron: str = Field(description="Minute, hour, day of month, month, day of week.", examples=["0 3 * * *"])
    timezone: str = Field(description="Time zone of the expression.", examples=["Europe/Oslo"])
    enabled: bool = Field(description="Whether it starts anything.")
    parameters: dict[str, Any] = Field(
        description="Parameters of the estimations it starts, or of the generations of queries, with `kind` "
        "`generate_queries`; of a connector `kind` and `connector_id`.",
        examples=[{"method": "iwmv"}],
    )
    next_runs: list[Time] = Field(
        description="The next times at which it starts an estimation; none while it is disabled."
    )
    created_at: Time = Field(description="When it was made.")
    updated_at: Time = Field(description="When it last changed.")

    @classmethod
    def of(cls, schedule: "Schedule") -> Self:
        own = {name: getattr(schedule, name) for name in cls.model_fields if name != "next_runs"}
        return cls(**own, next_runs=next_runs(schedule, SHOWN_RUNS, now=datetime.now(UTC)))


ScheduleList: TypeAlias = ListView[ScheduleView]
