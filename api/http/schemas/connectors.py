"""Connectors."""

from datetime import UTC, datetime
from typing import Any, Self, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import Failure, ListView, Time, View
from api.http.schemas.schedules import SHOWN_RUNS
from registry.connectors.kinds import Kind
from registry.connectors.model import Connector
from registry.connectors.result_schemas import ConnectorReport
from registry.platform.enums import RunStatus
from registry.schedules.model import Schedule
from registry.schedules.times import next_runs


class ConnectorView(View):
    """Files or addresses that documents come from, and how the last run went."""

    id: UUID = Field(description="Identifier.")
    name: str = Field(description="Unique in the corpus.", examples=["press"])
    kind: Kind = Field(description="What it reads.")
    config: dict[str, Any] = Field(description="Its configuration.", examples=[{"urls": ["https://a.example/feed"]}])
    cron: str | None = Field(description="When it runs; null: only on request.", examples=["0 * * * *"])
    next_runs: list[Time] = Field(description="The next times at which it runs.")
    contradictions: int = Field(
        description="Most readings of a run that report contradictions of new documents; 0: none."
    )
    status: RunStatus | None = Field(description="How the last run went, or goes; null before the first one.")
    report: ConnectorReport | None = Field(description="Report of the last run that ended.")
    problem: Failure | None = Field(description="Why the last run failed as a whole; null if it did not.")
    created_at: Time = Field(description="When it was made.")
    started_at: Time | None = Field(description="When the last run began.")
    finished_at: Time | None = Field(description="When it ended; null while it goes on.")

    @classmethod
    def of(cls, connector: Connector, schedule: Schedule | None) -> Self:
        own = {name: getattr(connector, name) for name in cls.model_fields if name not in {"cron", "next_runs"}}
        if schedule is None:
            return cls(**own, cron=None, next_runs=[])
        return cls(**own, cron=schedule.cron, next_runs=next_runs(schedule, SHOWN_RUNS, now=datetime.now(UTC)))


ConnectorList: TypeAlias = ListView[ConnectorView]
