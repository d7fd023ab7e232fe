"""Documents."""

from typing import Any, TypeAlias
from uuid import UUID

from pydantic import Field

from api.http.schemas.base import ListView, Time, View
from registry.documents.schemas import Contradiction, RevisionInList, RevisionSummary


class DocumentSummary(View):
    """A document without its text."""

    id: UUID = Field(description="Identifier.")
    source_id: UUID = Field(description="The source that published it.")
    external_id: str = Field(description="The caller's own identifier, unique in the source.", examples=["post-17"])
    title: str = Field(description="Its title.", examples=["The Zephyr 3 is here"])
    url: str | None = Field(description="Address at which it was published.", examples=["https://blog.acme.example/17"])
    media_type: str = Field(description="Media type of what was sent.", examples=["text/markdown"])
    published_at: Time | None = Field(description="When it was published; null if unknown.")
    attributes: dict[str, Any] = Field(description="Anything the caller wants to keep.", examples=[{"lang": "en"}])
    allowed_groups: list[str] | None = Field(
        description="Groups that may see it; null: those of its source.", examples=[["legal"]]
    )
    revision: int = Field(description="Revision, from 1, counted up whenever it is replaced.")
    created_at: Time = Field(description="When it was first sent.")
    updated_at: Time = Field(description="When it last changed.")


class DocumentView(DocumentSummary):
    """A document with its text, in which passages and citations count characters."""

    content: str = Field(description="Its text.", examples=["The Zephyr 3 was announced in Oslo on 4 May 2021."])


DocumentList: TypeAlias = ListView[DocumentSummary]


RevisionList: TypeAlias = ListView[RevisionInList]


class RevisionView(RevisionSummary):
    """A revision of a document with its text, in which citations of it count characters."""

    document_id: UUID = Field(description="The document.")
    url: str | None = Field(description="Address at which it was published.", examples=["https://blog.acme.example/17"])
    media_type: str = Field(description="Media type of what was sent.", examples=["text/markdown"])
    attributes: dict[str, Any] = Field(description="Anything the caller wanted to keep.", examples=[{"lang": "en"}])
    allowed_groups: list[str] | None = Field(
        description="Groups that may see it, if they see the document; null: those of its source.", examples=[["legal"]]
    )
    content: str = Field(description="Its text.", examples=["The Zephyr 3 was announced in Oslo on 4 May 2021."])


class DocumentContradictionView(Contradiction):
    """One that was found when the document came in."""

    id: UUID = Field(description="Identifier.")
    document_id: UUID = Field(description="The document that came in later.")
    created_at: Time = Field(description="When it was found.")


DocumentContradictionList: TypeAlias = ListView[DocumentContradictionView]
