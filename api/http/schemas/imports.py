"""The result of one line of an import."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import View


class LineView(View):
    """What became of one line."""

    line: int = Field(description="Number of the line, from 1; empty lines count.", examples=[1])
    status: Literal["created", "updated", "unchanged", "rejected"] = Field(description="What became of it.")
    id: UUID | None = Field(default=None, description="Of the row that it made or met; null if rejected.")
    external_id: str | None = Field(
        default=None, description="The caller's own identifier; null if rejected.", examples=["doc-17"]
    )
    error: str | None = Field(default=None, description="Why it was rejected.", examples=["content: Field required"])
