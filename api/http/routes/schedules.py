"""Schedules: when a corpus is estimated again."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response

from api.http.dependencies import PROTECTED, AdminAccess, PageParameters, ReadAccess
from api.http.openapi import examples
from api.http.openapi.responses import created
from api.http.schemas.schedules import ScheduleList, ScheduleView
from registry.schedules import store as schedules
from registry.schedules.schemas import ScheduleInput, SchedulePatch

router = APIRouter(prefix="/v1/corpora/{corpus}/schedules", tags=["schedules"], dependencies=PROTECTED)

ScheduleId = Annotated[UUID, Path(description="Identifier of the schedule.")]


@router.post("", status_code=201, summary="Make a schedule", responses={201: created("The new schedule.")})
async def create_schedule(
    body: Annotated[ScheduleInput, examples.SCHEDULE], access: AdminAccess, response: Response
) -> ScheduleView:
    """Starts an estimation, or with `generate` a generation of queries, at each of its times, unless one of the corpus
    is under way.
    """
    async with access.begin() as (session, corpus):
        schedule = await schedules.create(session, corpus, body)
    response.headers["Location"] = access.path("schedules", schedule.id)
    return ScheduleView.of(schedule)


@router.get("", summary="List schedules")
async def list_schedules(access: ReadAccess, paging: PageParameters) -> ScheduleList:
    async with access.begin() as (session, corpus):
        page = await schedules.page(session, corpus, cursor=paging.cursor, limit=paging.limit)
    return ScheduleList.of(page, ScheduleView.of)


@router.get("/{schedule_id}", summary="Read a schedule")
async def get_schedule(access: ReadAccess, schedule_id: ScheduleId) -> ScheduleView:
    async with access.begin() as (session, corpus):
        return ScheduleView.of(await schedules.get(session, corpus, schedule_id))


@router.patch("/{schedule_id}", summary="Change or switch off a schedule")
async def update_schedule(
    patch: Annotated[SchedulePatch, examples.SCHEDULE_PATCH], access: AdminAccess, schedule_id: ScheduleId
) -> ScheduleView:
    """Fields that you leave out stay."""
    async with access.begin() as (session, corpus):
        return ScheduleView.of(await schedules.update(session, corpus, schedule_id, patch))


@router.delete("/{schedule_id}", status_code=204, summary="Delete a schedule")
async def delete_schedule(access: AdminAccess, schedule_id: ScheduleId) -> None:
    """The estimations that it started are kept."""
    async with access.begin() as (session, corpus):
        await schedules.delete(session, corpus, schedule_id)
