"""Queries."""

from typing import Any
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View


class QueryView(View):
    """An unlabelled question used to estimate reliability."""

    id: UUID = Field(description="Identifier.")
    external_id: str = Field(description="The caller's own identifier, unique in the corpus.", examples=["q-042"])
    text: str = Field(description="The question.", examples=["In which city was the Zephyr 3 announced?"])
    gold_answers: list[str] | None = Field(
        description="Right answers, if known; estimations judge votes by them unless `use_gold` is off.",
        examples=[["Oslo"]],
    )
    topic: str | None = Field(
        description="What it is about, if the caller said so; else topics are found by embeddings.", examples=["drones"]
    )
    attributes: dict[str, Any] = Field(description="Anything the caller wants to keep.", examples=[{"kind": "place"}])
    relation: str | None = Field(
        description="The relation whose stated values it was made of; null for a query that was sent.",
        examples=["capital"],
    )
    active: bool = Field(description="Whether estimations use it.")
    created_at: Time = Field(description="When it was made.")
    updated_at: Time = Field(description="When it last changed.")


class QueryList(ListView[QueryView]):
    """A page of queries."""
