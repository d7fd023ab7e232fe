"""Schedules as callers send them."""

from datetime import UTC, datetime
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from apscheduler.triggers.cron import CronTrigger
from pydantic import AfterValidator, Field, StrictBool

from registry.estimations.schemas import EstimationParameters
from registry.platform.fields import Input, Name
from registry.query_generations.schemas import GenerationParameters

LEAP_YEAR = 2024


def _timezone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("unknown time zone; use a name such as UTC or Europe/Oslo") from error


def _cron(expression: str) -> str:
    try:
        trigger = CronTrigger.from_crontab(expression, UTC)
    except (ValueError, AttributeError) as error:
        raise ValueError(f"not a cron expression of five fields, such as `0 3 * * *`: {error}") from error
    if not _has_a_date(trigger):
        raise ValueError("there is no such date, as 30 February, so that nothing would ever start")
    return expression


def _has_a_date(trigger: CronTrigger) -> bool:
    """Whether a month that it names has a day that it names. To look for the next time would take a second if not."""
    fields = {field.name: field for field in trigger.fields}
    months = (datetime(LEAP_YEAR, month, 1, tzinfo=UTC) for month in range(1, 13))
    return any(
        fields["month"].get_next_value(first) == first.month and fields["day"].get_next_value(first) is not None
        for first in months
    )


Cron = Annotated[str, Field(max_length=200, examples=["0 3 * * *"]), AfterValidator(_cron)]
TimeZone = Annotated[str, Field(max_length=64, examples=["UTC"]), AfterValidator(_timezone)]


class ScheduleInput(Input):
    """A new schedule."""

    name: Name
    """Unique in the corpus."""
    cron: Cron
    """A cron expression: minute, hour, day of month, month, day of week."""
    timezone: TimeZone = "UTC"
    """Time zone of the expression."""
    enabled: StrictBool = True
    """Whether it starts estimations."""
    parameters: EstimationParameters = EstimationParameters()
    """Parameters of the estimations that it starts."""
    generate: GenerationParameters | None = None
    """Parameters of generations of queries, which it then starts instead; with `estimate` an estimation as the current
    one follows each."""


class SchedulePatch(Input):
    """Fields to change; those left out stay."""

    name: Name | None = None
    """Unique in the corpus."""
    cron: Cron | None = None
    """A cron expression: minute, hour, day of month, month, day of week."""
    timezone: TimeZone | None = None
    """Time zone of the expression."""
    enabled: StrictBool | None = None
    """Whether it starts estimations."""
    parameters: EstimationParameters | None = None
    """Parameters of the estimations that it starts."""
