"""A step of something that is followed."""

from typing import Any

from pydantic import Field

from api.http.schemas.base import Time, View


class EventView(View):
    """The `data` of a server-sent event."""

    kind: str = Field(description="What happened; also the name of the event.", examples=["progress"])
    created_at: Time = Field(description="When it happened.")
    data: dict[str, Any] = Field(description="Numbers that go with it.", examples=[{"queries_collected": 24}])
