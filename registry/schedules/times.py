"""The times at which schedules are due."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from apscheduler.triggers.cron import CronTrigger

from registry.platform.errors import InvalidInput

if TYPE_CHECKING:
    from registry.schedules.model import Schedule


def next_runs(schedule: "Schedule", count: int, *, now: datetime) -> list[datetime]:
    """The next due times after `now`, in UTC; none for a disabled schedule."""
    if not schedule.enabled:
        return []
    trigger = trigger_of(schedule)
    times: list[datetime] = []
    due = trigger.get_next_fire_time(None, now)
    while due is not None and len(times) < count:
        times.append(due.astimezone(UTC))
        due = trigger.get_next_fire_time(due, due)
    return times


def trigger_of(schedule: "Schedule") -> CronTrigger:
    """The schedule as a trigger of APScheduler; raises `InvalidInput` if its expression or time zone is invalid."""
    try:
        return CronTrigger.from_crontab(schedule.cron, ZoneInfo(schedule.timezone))
    except (ValueError, ZoneInfoNotFoundError) as error:
        raise InvalidInput(f"Schedule {schedule.name!r} cannot tick: {error}", field="cron") from error
