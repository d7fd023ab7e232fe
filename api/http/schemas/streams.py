"""The items of streamed responses: events, and result lines of an import."""

from typing import Any, Literal, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Share, Time, View


class EventView(View):
    """The `data` of a server-sent event."""

    kind: str = Field(description="Event, which is also its name.", examples=["progress"])
    created_at: Time = Field(description="When it happened.")
    data: dict[str, Any] = Field(description="Numbers that go with it.", examples=[{"queries_collected": 24}])


class ContradictionView(View):
    """A statement of a document, and one of another source that contradicts it."""

    question: str = Field(description="What both answer.", examples=["In which year was the mill built?"])
    answer: str = Field(description="Answer of the document.", examples=["1874"])
    quote: str = Field(description="The sentence of the document.", examples=["The mill was built in 1874."])
    other_source_id: UUID = Field(description="The other source.")
    other_document_id: UUID = Field(description="Its document.")
    other_answer: str = Field(description="Answer of the other document.", examples=["1901"])
    other_quote: str = Field(description="Its sentence.", examples=["They built the mill in 1901."])
    probability: Share = Field(
        description="Probability that the two contradict each other, by the judge.", examples=[0.87]
    )


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
    contradictions: list[ContradictionView] | None = Field(
        default=None,
        description=(
            "Contradicting statements of other sources, for a new or changed document; null if the import "
            "was not asked for them, or had no readings left."
        ),
    )


class DocumentContradictionView(ContradictionView):
    """One that was found when the document came in."""

    id: UUID = Field(description="Identifier.")
    document_id: UUID = Field(description="The document that came in later.")
    created_at: Time = Field(description="When it was found.")


DocumentContradictionList: TypeAlias = ListView[DocumentContradictionView]
