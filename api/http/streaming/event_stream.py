"""Progress as server-sent events whose ids a client can go on from."""

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

import structlog
from fastapi import Header
from fastapi.sse import ServerSentEvent
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.exceptions import HTTPException

from api.http.schemas.events import EventView
from registry.errors import Unavailable
from registry.models import Event, RunStatus
from registry.runtime import Runtime
from registry.store import events

log = structlog.get_logger(__name__)

RECONNECT_MILLISECONDS = 2000
_LARGEST_ID = 2**63 - 1

LastEventId = Annotated[
    int, Header(alias="Last-Event-ID", ge=0, le=_LARGEST_ID, description="Id of the last event that was seen.")
]


async def refuse_ended(session: AsyncSession, subject_id: UUID, status: RunStatus, last_id: int) -> None:
    """End with 204, on which browsers stop to reconnect, if all has been seen of something that has ended."""
    if last_id and status.ended and not await events.after(session, subject_id, last_id, 1):
        raise HTTPException(204)


async def event_stream(runtime: Runtime, subject_id: UUID, last_id: int) -> AsyncIterator[ServerSentEvent]:
    """All steps after `last_id` until the final one; breaks off, to be resumed, when the database is away."""
    yield ServerSentEvent(comment="go on with Last-Event-ID", retry=RECONNECT_MILLISECONDS)
    try:
        async for step in events.follow(runtime.database, subject_id, last_id):
            yield _sent(step)
    except Unavailable as error:
        log.warning("event_stream_broken_off", why=str(error))


def _sent(step: Event) -> ServerSentEvent:
    view = EventView(kind=step.kind, created_at=step.created_at, data=step.data)
    return ServerSentEvent(id=str(step.id), event=step.kind, data=view)
