"""Schedules: when a corpus is estimated again."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response

from api.http import examples, problems
from api.http.dependencies import JSON, KEY, Administering, InList, Reading
from api.http.describe import made, posts, reads, writes
from api.http.schemas.schedules import ScheduleList, ScheduleView
from registry.inputs.schedules import ScheduleInput, SchedulePatch
from registry.store import schedules

router = APIRouter(prefix="/v1/corpora/{corpus}/schedules", tags=["schedules"], dependencies=[KEY, JSON])

ScheduleId = Annotated[UUID, Path(description="Identifier of the schedule.")]


@router.post(
    "",
    status_code=201,
    summary="Make a schedule",
    responses={201: made("The new schedule."), **posts(problems.CONFLICT)},
)
async def create_schedule(
    given: Annotated[ScheduleInput, examples.SCHEDULE], access: Administering, response: Response
) -> ScheduleView:
    """A tick starts an estimation, unless one of the corpus is under way. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        schedule = await schedules.create(session, corpus, given)
    response.headers["Location"] = access.path("schedules", schedule.id)
    return ScheduleView.of(schedule)


@router.get("", summary="List schedules", responses=reads())
async def list_schedules(access: Reading, place: InList) -> ScheduleList:
    """Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        page = await schedules.page(session, corpus, cursor=place.cursor, limit=place.limit)
    return ScheduleList(items=[ScheduleView.of(schedule) for schedule in page.items], next_cursor=page.next_cursor)


@router.get("/{schedule_id}", summary="Read a schedule", responses=reads())
async def get_schedule(access: Reading, schedule_id: ScheduleId) -> ScheduleView:
    """Needs the scope `read`."""
    async with access.begin() as (session, corpus):
        return ScheduleView.of(await schedules.get(session, corpus, schedule_id))


@router.patch("/{schedule_id}", summary="Change or switch off a schedule", responses=writes(problems.CONFLICT))
async def update_schedule(
    patch: Annotated[SchedulePatch, examples.SCHEDULE_PATCH], access: Administering, schedule_id: ScheduleId
) -> ScheduleView:
    """What is left out stays. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        return ScheduleView.of(await schedules.update(session, corpus, schedule_id, patch))


@router.delete("/{schedule_id}", status_code=204, summary="Delete a schedule", responses=reads())
async def delete_schedule(access: Administering, schedule_id: ScheduleId) -> None:
    """The estimations that it started stay. Needs the scope `admin`."""
    async with access.begin() as (session, corpus):
        await schedules.delete(session, corpus, schedule_id)
