"""Progress as server-sent events, which a client can resume after the last id that it saw."""

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

import structlog
from fastapi import Header
from fastapi.sse import ServerSentEvent
from starlette.exceptions import HTTPException

from api.http.schemas.base import EventView
from registry.events import store as events
from registry.events.model import Event
from registry.platform.database.base import AsyncSession
from registry.platform.enums import RunStatus
from registry.platform.errors import Unavailable
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

RECONNECT_MILLISECONDS = 2000
_LARGEST_ID = 2**63 - 1

LastEventId = Annotated[
    int, Header(alias="Last-Event-ID", ge=0, le=_LARGEST_ID, description="Id of the last event that was seen.")
]


async def require_unseen_events(session: AsyncSession, subject_id: UUID, status: RunStatus, last_id: int) -> None:
    """Answer 204, on which browsers stop reconnecting, if the work has ended and `last_id` is its last event."""
    if last_id and status.ended and not await events.after(session, subject_id, last_id, 1):
        raise HTTPException(204)


async def event_stream(runtime: Runtime, subject_id: UUID, last_id: int) -> AsyncIterator[ServerSentEvent]:
    """All events after `last_id` until the final one; ends early, to be resumed, if the database is unavailable."""
    yield ServerSentEvent(comment="go on with Last-Event-ID", retry=RECONNECT_MILLISECONDS)
    try:
        async for event in events.follow(runtime.database, subject_id, last_id):
            yield _server_sent(event)
    except Unavailable as error:
        log.warning("event_stream_broken_off", why=error)


def _server_sent(event: Event) -> ServerSentEvent:
    view = EventView(kind=event.kind, created_at=event.created_at, data=event.data)
    return ServerSentEvent(id=str(event.id), event=event.kind, data=view)
