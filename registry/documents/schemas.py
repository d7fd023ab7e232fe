"""Documents as callers send them, and what became of each line of an import."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar, cast
from uuid import UUID

from pydantic import AliasChoices, Field, create_model, model_validator

from registry.documents.value_schemas import MAX_VALUES, SOURCE, StatedValueInput, fields_of_row
from registry.platform.errors import InvalidInput
from registry.platform.fields import Attributes, ExternalId, Input, Moment, NotBlank, Storable, Title, Url
from registry.viewers.schemas import Groups

# The longest document, in characters: extraction and cutting take memory with it.
MAX_DOCUMENT_CHARACTERS = 4_000_000


def require_length(content: str) -> None:
    """Raise `InvalidInput` for the content of a document that is too long."""
    if len(content) > MAX_DOCUMENT_CHARACTERS:
        raise InvalidInput(
            f"The document is longer than {MAX_DOCUMENT_CHARACTERS} characters; split it.", field="content"
        )


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
    media_type: MediaType = Field(MediaType.TEXT, validation_alias=AliasChoices("media_type", "content_type"))
    """Format of the content; also taken as `content_type`."""
    published_at: Moment | None = None
    """Time of publication, with its offset from UTC; a date alone is midnight in UTC."""
    attributes: Attributes = Field(default_factory=dict)
    """Any other fields, as a JSON object."""
    allowed_groups: Groups | None = None
    """Groups that may see it; null: those of its source."""
    stated_values: Annotated[list[StatedValueInput], Field(max_length=MAX_VALUES)] = Field(default_factory=list)
    """Values that it states as data: the source's votes on the queries about them, without a reader."""


class DocumentLine(DocumentInput):
    """A document of any source of a corpus, in an import."""

    source: ExternalId
    """The source, by its external id, id or name; an unknown name becomes a new source."""


AnyDocument = TypeVar("AnyDocument", bound=DocumentInput)


def of_rows(model: type[AnyDocument], columns: Mapping[str, str]) -> type[AnyDocument]:
    """The model of documents made from rows that state values in these columns; without columns the model itself.

    Columns that are neither fields of a document nor state values become attributes.
    """
    if not columns:
        return model

    def from_row(row: object) -> object:
        if not isinstance(row, dict):
            return row
        names = {name: columns[name] if name == SOURCE in columns else name for name in model.model_fields}
        own = {name: cell for name, column in names.items() if (cell := row.get(column)) not in (None, "")}
        others = {name: row[name] for name in row.keys() - {*names.values(), *columns.values()}}
        attributes = own.pop("attributes", {})
        attributes = others | attributes if isinstance(attributes, dict) else attributes
        return fields_of_row(row, columns) | own | {"attributes": attributes}

    # Without a type of its own the function is no method of a class, which pydantic takes as well.
    validators = {"from_row": cast("Any", model_validator(mode="before")(from_row))}
    return create_model(model.__name__, __base__=model, __validators__=validators)


class LineStatus(StrEnum):
    """Whether the row of a line is new, changed, the same as before, or refused."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A statement of a document, and what another source published against it."""

    question: str
    """Question that both answer."""
    answer: str
    quote: str
    """The sentence of the document."""
    other_source_id: UUID
    other_document_id: UUID
    other_answer: str
    other_quote: str
    """The sentence of the other document."""
    probability: float
    """Probability that the two contradict each other, by the judge."""


@dataclass(frozen=True, slots=True)
class LineResult:
    """The result of one line, counted from 1; `error` says why it was rejected."""

    line: int
    status: LineStatus
    id: UUID | None = None
    external_id: str | None = None
    error: str | None = None
    contradictions: tuple[Contradiction, ...] | None = None
    """Contradictions of the document by others; None if they were not looked for."""


def rejected(line: int, error: str, external_id: str | None = None) -> LineResult:
    """The result of a rejected line."""
    return LineResult(line, LineStatus.REJECTED, external_id=external_id, error=error)


@dataclass(frozen=True, slots=True)
class RevisionSummary:
    """A revision of a document, without its text."""

    revision: int
    title: str
    published_at: datetime | None
    stored_at: datetime
    replaced_at: datetime | None
    """None for the current one."""
    changed: tuple[str, ...] | None
    """The fields that differ from the revision before it in the list; None for the first one."""


@dataclass(frozen=True, slots=True)
class IngestResult:
    """The result of one document; `passages` is how many it has."""

    document_id: UUID
    external_id: str
    status: LineStatus
    passages: int
