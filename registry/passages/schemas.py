"""What a question or a search may be restricted to."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from answering.parameters import Parameters
from registry.platform.fields import ExternalId, Moment

MAX_SOURCES = 1_000


class EvidenceFilter(Parameters):
    """The sources and documents that count; without restriction all active sources with all their documents."""

    sources: Annotated[tuple[ExternalId, ...], Field(min_length=1, max_length=MAX_SOURCES)] | None = None
    """Only these sources, by external id, id or name; null: all."""
    published_from: Moment | None = None
    """Only documents published at this time or later; documents without a time are left out."""
    published_before: Moment | None = None
    """Only documents published before this time; documents without a time are left out."""

    @model_validator(mode="after")
    def _refuse_an_empty_range(self) -> Self:
        if self.published_from and self.published_before and self.published_from >= self.published_before:
            raise ValueError("published_from must lie before published_before")
        return self
