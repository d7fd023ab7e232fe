"""Wordings of an answer that people joined."""

from typing import TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View


class JoinView(View):
    """Wordings that are one answer to a question."""

    id: UUID = Field(description="Identifier.")
    question: str = Field(description="The question.", examples=["Who won Super Bowl LII?"])
    answers: list[str] = Field(description="The wordings.", examples=[["Eagles", "Philadelphia Eagles"]])
    actor: str = Field(
        description="Kind of caller who joined them: `key`, `browser` (in the pages), `anonymous`, `cli` or `job`.",
        examples=["key"],
    )
    created_by: str = Field(description="Name of the API key or of the user; else as `actor`.", examples=["ops"])
    created_at: Time = Field(description="When they were joined.")


JoinList: TypeAlias = ListView[JoinView]
