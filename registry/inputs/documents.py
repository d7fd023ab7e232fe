"""Documents as callers send them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from registry.inputs.fields import Attributes, ExternalId, Input, Moment, NotBlank, Storable, Title, Url


class MediaType(StrEnum):
    """The format of a document's content."""

    TEXT = "text/plain"
    MARKDOWN = "text/markdown"
    HTML = "text/html"


class DocumentInput(Input):
    """A document as a source published it."""

    content: Annotated[str, Field(min_length=1), Storable, NotBlank]
    """The whole text; from HTML the main text is extracted."""
    external_id: ExternalId | None = None
    """The caller's identifier, unique in the source; a document sent again replaces the former. By default the id."""
    title: Title = ""
    """Title, shown in citations."""
    url: Url | None = None
    """Address of the document."""
    media_type: MediaType = MediaType.TEXT
    """Format of the content."""
    published_at: Moment | None = None
    """When it was published, with its offset from UTC; a date alone is midnight in UTC."""
    attributes: Attributes = Field(default_factory=dict)
    """Any other fields, as a JSON object."""


class DocumentLine(DocumentInput):
    """A document of any source of a corpus, in an import."""

    source: ExternalId
    """The source, by its external id, id or name; an unknown name becomes a new source."""
