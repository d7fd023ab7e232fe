"""Server-sent events."""

from typing import Any

from pydantic import Field

from api.http.schemas.base import Time, View


class EventView(View):
    """The `data` of a server-sent event."""

    kind: str = Field(description="Event, which is also its name.", examples=["progress"])
    created_at: Time = Field(description="When it happened.")
    data: dict[str, Any] = Field(description="Numbers that go with it.", examples=[{"queries_collected": 24}])
