"""Corpora."""

from typing import TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.platform.enums import AnswerPolicy


class CorpusView(View):
    """A namespace of sources that answer the same kind of question."""

    id: UUID = Field(description="Identifier.")
    name: str = Field(description="Unique name, part of the addresses of everything in it.", examples=["default"])
    description: str = Field(description="Subject of its sources.", examples=["Product announcements of four vendors"])
    text_search: str = Field(description="Text search configuration of PostgreSQL.", examples=["english"])
    use_gold: bool = Field(
        description="Whether estimations judge votes by gold answers, unless their parameters say otherwise."
    )
    generate_queries: bool = Field(
        description="Whether queries are written from its documents while it has none, and an estimation follows."
    )
    answers: AnswerPolicy = Field(
        description=(
            "Policy of imported answers to a query that does not state one: `one` is right, `several` may "
            "be, each true or false by itself, or a `number`, of which near ones nearly agree."
        )
    )
    asked_queries: int = Field(description="The number of asked questions that become queries, at most.")
    daily_questions: int | None = Field(description="Questions a day; null is no limit.")
    max_documents: int | None = Field(description="Documents stored at once; null is no limit.")
    max_stored_bytes: int | None = Field(description="Bytes of their texts and former revisions; null is no limit.")
    created_at: Time = Field(description="When it was made.")
    updated_at: Time = Field(description="When it last changed.")


CorpusList: TypeAlias = ListView[CorpusView]
