"""Schedules as callers send them."""

from datetime import UTC
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from apscheduler.triggers.cron import CronTrigger
from pydantic import AfterValidator, Field, StrictBool

from registry.inputs.estimations import EstimationParameters
from registry.inputs.fields import Input, Name


def _timezone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("unknown time zone; use a name such as UTC or Europe/Oslo") from error


def _cron(expression: str) -> str:
    try:
        CronTrigger.from_crontab(expression, UTC)
    except (ValueError, AttributeError) as error:
        raise ValueError(f"not a cron expression of five fields, such as `0 3 * * *`: {error}") from error
    return expression


Cron = Annotated[str, Field(max_length=200, examples=["0 3 * * *"]), AfterValidator(_cron)]


TimeZone = Annotated[str, Field(max_length=64, examples=["UTC"]), AfterValidator(_timezone)]


class ScheduleInput(Input):
    """A new schedule."""

    name: Name
    """Unique in the corpus."""
    cron: Cron
    """Minute, hour, day of month, month, day of week."""
    timezone: TimeZone = "UTC"
    """The zone the expression is meant in."""
    enabled: StrictBool = True
    """Whether it ticks."""
    parameters: EstimationParameters = EstimationParameters()
    """Choices of the runs it starts."""


class SchedulePatch(Input):
    """What to change; what is left out stays."""

    name: Name | None = None
    """Unique in the corpus."""
    cron: Cron | None = None
    """Minute, hour, day of month, month, day of week."""
    timezone: TimeZone | None = None
    """The zone the expression is meant in."""
    enabled: StrictBool | None = None
    """Whether it ticks."""
    parameters: EstimationParameters | None = None
    """Choices of the runs it starts."""
