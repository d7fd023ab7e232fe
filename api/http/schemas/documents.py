"""Documents."""

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from api.http.schemas.streams import ContradictionView


class DocumentSummary(View):
    """A document without its text."""

    id: UUID = Field(description="Identifier.")
    source_id: UUID = Field(description="The source that published it.")
    external_id: str = Field(description="The caller's own identifier, unique in the source.", examples=["post-17"])
    title: str = Field(description="Its title.", examples=["The Zephyr 3 is here"])
    url: str | None = Field(description="Where it was published.", examples=["https://blog.acme.example/17"])
    media_type: str = Field(description="Media type of what was sent.", examples=["text/markdown"])
    published_at: Time | None = Field(description="When it was published; null if unknown.")
    attributes: dict[str, Any] = Field(description="Anything the caller wants to keep.", examples=[{"lang": "en"}])
    allowed_groups: list[str] | None = Field(
        description="Groups that may see it; null: those of its source.", examples=[["legal"]]
    )
    created_at: Time = Field(description="When it was first sent.")
    updated_at: Time = Field(description="When it last changed.")


class DocumentView(DocumentSummary):
    """A document with its text, in which passages and citations count characters."""

    content: str = Field(description="Its text.", examples=["The Zephyr 3 was announced in Oslo on 4 May 2021."])


class DocumentList(ListView[DocumentSummary]):
    """A page of documents."""


class IngestView(View):
    """The result of sending a document."""

    document_id: UUID = Field(description="The document.")
    external_id: str = Field(description="The caller's own identifier.", examples=["post-17"])
    status: Literal["created", "updated", "unchanged"] = Field(
        description="`unchanged` if it was stored already with the same content."
    )
    passages: int = Field(description="Passages it was split into.", examples=[4])
    contradictions: list[ContradictionView] | None = Field(
        default=None,
        description="What other sources published against it; null where it did not change, or was not asked for.",
    )
