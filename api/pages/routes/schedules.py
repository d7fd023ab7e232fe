"""Schedules of runs: made, changed and deleted where runs are listed."""

from typing import Annotated

from fastapi import Form, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel

from api.http.dependencies import AdminAccess
from api.http.routes.schedules import ScheduleId, create_schedule, delete_schedule, update_schedule
from api.pages.rendering import address
from api.pages.visitors import page_router
from registry.platform.fields import Name
from registry.schedules.schemas import Cron, ScheduleInput, SchedulePatch, TimeZone

router = page_router("/corpora/{corpus}/schedules")


class ScheduleForm(BaseModel):
    """A schedule as its form sends it, which leaves out a box that is not ticked."""

    name: Name
    cron: Cron
    timezone: TimeZone = "UTC"
    enabled: bool = False


@router.post("")
async def add_schedule(access: AdminAccess, form: Annotated[ScheduleForm, Form()]) -> Response:
    """Make a schedule of runs."""
    await create_schedule(ScheduleInput(**form.model_dump()), access, Response())
    return _to_schedules(access)


@router.post("/{schedule_id}")
async def change_schedule(
    access: AdminAccess, schedule_id: ScheduleId, form: Annotated[ScheduleForm, Form()]
) -> Response:
    """Change a schedule."""
    await update_schedule(SchedulePatch(**form.model_dump()), access, schedule_id)
    return _to_schedules(access)


@router.post("/{schedule_id}/delete")
async def remove_schedule(access: AdminAccess, schedule_id: ScheduleId) -> Response:
    """Delete a schedule."""
    await delete_schedule(access, schedule_id)
    return _to_schedules(access)


def _to_schedules(access: AdminAccess) -> Response:
    return RedirectResponse(address("corpora", access.corpus_name, "estimations") + "#schedules", 303)
