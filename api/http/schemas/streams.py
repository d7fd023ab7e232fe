"""The items of streamed responses: events, and result lines of an import."""

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import Time, View


class EventView(View):
    """The `data` of a server-sent event."""

    kind: str = Field(description="What happened; also the name of the event.", examples=["progress"])
    created_at: Time = Field(description="When it happened.")
    data: dict[str, Any] = Field(description="Numbers that go with it.", examples=[{"queries_collected": 24}])


class LineView(View):
    """The result of one line of an import."""

    line: int = Field(description="Number of the line, from 1; empty lines are counted.", examples=[1])
    status: Literal["created", "updated", "unchanged", "rejected"] = Field(description="Its result.")
    id: UUID | None = Field(
        default=None, description="Identifier of the row it created, updated or left unchanged; null if rejected."
    )
    external_id: str | None = Field(
        default=None, description="The caller's own identifier; null if rejected.", examples=["doc-17"]
    )
    error: str | None = Field(default=None, description="Why it was rejected.", examples=["content: Field required"])
