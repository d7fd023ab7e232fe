"""Restrictions of a question or a search."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, model_validator

from answering.parameters import Parameters
from answering.questions.asked_period import AskedPeriod
from registry.platform.fields import ExternalId, Moment
from registry.viewers.model import ALL_SEEING, Viewer

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


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The passages that a search looks at: of these sources and this period, None being open, that the viewer sees."""

    source_ids: tuple[UUID, ...] | None = None
    published_from: datetime | None = None
    published_before: datetime | None = None
    undated: bool = False
    """Whether documents without a time of publication count where a period is given."""
    stored_until: datetime | None = None
    """Documents stored or replaced later do not count."""
    documents: tuple[str, ...] | None = None
    """External ids of the documents that count; None is all."""
    metadata: MetadataFilter | None = None
    """Conditions on the metadata of documents, at least one."""
    viewer: Viewer = ALL_SEEING
    """Documents that it may not see do not count."""

    def allows(self, date: datetime | None) -> bool:
        """Whether what was said at this date, in no document, counts; what is undated counts where all dates do."""
        if self.documents is not None:
            return False
        if self.published_from is None and self.published_before is None:
            return True
        if date is None:
            return self.undated
        if self.published_from is not None and date < self.published_from:
            return False
        return self.published_before is None or date < self.published_before

    def within(self, period: AskedPeriod) -> Self:
        """The filter without documents that are known to be of another time."""
        return replace(self, published_from=period.start, published_before=period.end, undated=True)


ALL_PASSAGES = PassageFilter()
