"""Schedules of runs, and connectors, changed and deleted where they are listed."""

from typing import Annotated, Any

from fastapi import Form, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, BeforeValidator
from pydantic_core import from_json

from api.http.dependencies import AdminAccess
from api.http.routes.connectors import ConnectorId, delete_connector, update_connector
from api.http.routes.schedules import ScheduleId, create_schedule, delete_schedule, update_schedule
from api.pages.rendering import address
from api.pages.visitors import page_router
from registry.connectors.schemas import ConnectorPatch
from registry.platform.fields import Name
from registry.schedules.schemas import Cron, ScheduleInput, SchedulePatch, TimeZone

router = page_router("/corpora/{corpus}/schedules")
connectors = page_router("/corpora/{corpus}/connectors")


class ScheduleForm(BaseModel):
    """A schedule as its form sends it, which leaves out a box that is not ticked."""

    name: Name
    cron: Cron
    timezone: TimeZone = "UTC"
    enabled: bool = False


class ConnectorForm(BaseModel):
    """A connector as its form sends it; without `cron` it runs only on request."""

    config: Annotated[dict[str, Any], BeforeValidator(from_json)]
    urls: str | None = None
    """Instead of those of `config`, one a line."""
    sitemap: str | None = None
    """Likewise."""
    cron: Cron | None = None

    @property
    def patch(self) -> ConnectorPatch:
        """What it changes."""
        addresses = {"urls": self.urls and self.urls.split(), "sitemap": self.sitemap}
        given = {name: value for name, value in addresses.items() if value is not None}
        return ConnectorPatch(config=self.config | given, cron=self.cron)


@router.post("")
async def add_schedule(access: AdminAccess, form: Annotated[ScheduleForm, Form()]) -> Response:
    """Make a schedule of runs."""
    await create_schedule(ScheduleInput(**form.model_dump()), access, Response())
    return _to(access, "estimations", "schedules")


@router.post("/{schedule_id}")
async def change_schedule(
    access: AdminAccess, schedule_id: ScheduleId, form: Annotated[ScheduleForm, Form()]
) -> Response:
    """Change a schedule."""
    await update_schedule(SchedulePatch(**form.model_dump()), access, schedule_id)
    return _to(access, "estimations", "schedules")


@router.post("/{schedule_id}/delete")
async def remove_schedule(access: AdminAccess, schedule_id: ScheduleId) -> Response:
    """Delete a schedule."""
    await delete_schedule(access, schedule_id)
    return _to(access, "estimations", "schedules")


@connectors.post("/{connector_id}/settings")
async def change_connector(
    access: AdminAccess, connector_id: ConnectorId, form: Annotated[ConnectorForm, Form()]
) -> Response:
    """Change what a connector reads, and when."""
    await update_connector(form.patch, access, connector_id)
    return _to(access, "documents", "feeds")


@connectors.post("/{connector_id}/delete")
async def remove_connector(access: AdminAccess, connector_id: ConnectorId) -> Response:
    """Delete a connector."""
    await delete_connector(access, connector_id)
    return _to(access, "documents", "feeds")


def _to(access: AdminAccess, page: str, place: str) -> Response:
    return RedirectResponse(f"{address('corpora', access.corpus_name, page)}#{place}", 303)
