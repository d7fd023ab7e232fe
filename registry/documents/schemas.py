"""Documents as callers send them, and what became of each line of an import."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeVar, cast
from uuid import UUID

from pydantic import AliasChoices, Field, create_model, model_validator

from registry.documents.value_schemas import MAX_VALUES, SOURCE, StatedValueInput, fields_of_row
from registry.platform.errors import InvalidInput
from registry.platform.fields import (
    Attributes,
    ExternalId,
    Input,
    Moment,
    NotBlank,
    Result,
    Score,
    Storable,
    Time,
    Title,
    Url,
)
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


class Contradiction(Result):
    """A statement of a document, and one of another source that contradicts it."""

    question: str
    """What both answer."""
    answer: str
    """Answer of the document."""
    quote: str
    """The sentence of the document."""
    other_source_id: UUID
    """The other source."""
    other_document_id: UUID
    """Its document."""
    other_answer: str
    """Answer of the other document."""
    other_quote: str
    """Its sentence."""
    probability: Score
    """Probability that the two contradict each other, by the judge."""


class LineResult(Result):
    """The result of one line of an import."""

    line: int
    """Number of the line, from 1; empty lines are counted."""
    status: LineStatus
    """Its result."""
    id: UUID | None = None
    """Identifier of the row it created, updated or left unchanged; null if rejected."""
    external_id: str | None = None
    """The caller's own identifier; null if rejected."""
    error: str | None = None
    """Why it was rejected."""
    contradictions: tuple[Contradiction, ...] | None = None
    """Contradicting statements of other sources, for a new or changed document; null if the import was not asked for
    them, or had no readings left."""


def rejected(line: int, error: str, external_id: str | None = None) -> LineResult:
    return LineResult(line=line, status=LineStatus.REJECTED, external_id=external_id, error=error)


class RevisionSummary(Result):
    """A revision of a document without its text."""

    revision: int
    """Its number, from 1."""
    title: str
    """The title that the document had."""
    published_at: Time | None
    """When it was published; null if unknown."""
    stored_at: Time
    """When it was sent."""
    replaced_at: Time | None
    """When the next one was sent; null for the current one."""


class RevisionInList(RevisionSummary):
    """A revision of a document, and what it changed."""

    changed: tuple[str, ...] | None
    """The fields that differ from the revision before it in the list; null for the first one."""


class IngestResult(Result):
    """The result of sending a document."""

    document_id: UUID
    """The document."""
    external_id: str
    """The caller's own identifier."""
    status: LineStatus
    """`unchanged` if it was stored already with the same content; never `rejected`."""
    passages: int
    """Passages it was split into."""
    contradictions: tuple[Contradiction, ...] | None = None
    """Contradicting statements of other sources; null if it did not change, or they were not asked for."""
