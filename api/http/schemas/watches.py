"""Feeds of sources that turn or fall, without the tokens that open them except in the response that makes one."""

from typing import TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View


class WatchView(View):
    """A feed of sources that turn or fall."""

    id: UUID = Field(description="Identifier.")
    source_id: UUID | None = Field(description="The only source that it tells of; null: all.")
    created_by: str = Field(description="Name of the API key or of the user who made it.", examples=["ops"])
    created_at: Time = Field(description="When it was made.")


class NewWatchView(WatchView):
    """A new feed."""

    path: str = Field(
        description="The path of the feed at this service, with its token: whoever has it reads the feed. It is shown "
        "only now.",
        examples=["/feeds/9wB2o4Jm0pQe5sT7uV8xY1zA3cD6fG-hIjKlMnOpQrS"],
    )


WatchList: TypeAlias = ListView[WatchView]
