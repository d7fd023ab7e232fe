"""Restrictions of a question or a search."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Self

from pydantic import Field, model_validator

from answering.parameters import Parameters
from registry.platform.fields import ExternalId, Moment

MAX_SOURCES = 1_000
MAX_DOCUMENTS = 10_000


class MetadataOperator(Enum):
    """The comparison with a value of a document's metadata."""

    CONTAINS = auto()
    STARTS = auto()
    ENDS = auto()
    IN = auto()
    """It is one of several texts."""
    PRESENT = auto()
    EQUAL = auto()
    """Compares numbers, as do the next four."""
    ABOVE = auto()
    AT_LEAST = auto()
    BELOW = auto()
    AT_MOST = auto()
    BEFORE = auto()
    """Compares times, as does the next one."""
    AFTER = auto()


@dataclass(frozen=True, slots=True)
class MetadataCondition:
    """A condition that holds for a document if it does for one of the values that it has under these names."""

    names: tuple[str, ...]
    operator: MetadataOperator
    value: str | list[str] = ""
    """Numbers and times are texts too."""
    negated: bool = False
    """Whether it has to hold for none of them."""


@dataclass(frozen=True, slots=True)
class MetadataFilter:
    """Conditions on the metadata of documents."""

    conditions: tuple[MetadataCondition, ...]
    all: bool = True
    """Whether all have to hold, or one."""


class EvidenceFilter(Parameters):
    """The sources and documents that count; without restriction all active sources with all their documents."""

    sources: Annotated[tuple[ExternalId, ...], Field(min_length=1, max_length=MAX_SOURCES)] | None = None
    """Sources to read, by external id, id or name; null: all."""
    documents: Annotated[tuple[ExternalId, ...], Field(min_length=1, max_length=MAX_DOCUMENTS)] | None = None
    """Documents to read, by external id; null: all of these sources."""
    published_from: Moment | None = None
    """Earliest time of publication. Documents without a time are left out."""
    published_before: Moment | None = None
    """Time before which documents were published. Documents without a time are left out."""

    @model_validator(mode="after")
    def _refuse_an_empty_range(self) -> Self:
        if self.published_from and self.published_before and self.published_from >= self.published_before:
            raise ValueError("published_from must lie before published_before")
        return self
