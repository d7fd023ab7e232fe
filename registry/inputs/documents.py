"""Documents as callers send them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from registry.inputs.fields import Attributes, ExternalId, Input, Moment, NotBlank, Storable, Title, Url


class MediaType(StrEnum):
    """What a document's content is written in."""

    TEXT = "text/plain"
    MARKDOWN = "text/markdown"
    HTML = "text/html"


class DocumentInput(Input):
    """A document as a source published it."""

    content: Annotated[str, Field(min_length=1), Storable, NotBlank]
    """The whole text; of HTML the main text is taken."""
    external_id: ExternalId | None = None
    """Yours, unique in the source: sending it again replaces the document. Without one it gets its own id."""
    title: Title = ""
    """For citations."""
    url: Url | None = None
    """Where it stands."""
    media_type: MediaType = MediaType.TEXT
    """How the content is to be read."""
    published_at: Moment | None = None
    """When it was published, with its offset from UTC."""
    attributes: Attributes = Field(default_factory=dict)
    """Anything else, as JSON."""
