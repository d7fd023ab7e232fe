"""Documents as callers send them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeVar, cast

from pydantic import AliasChoices, Field, create_model, model_validator

from registry.inputs.fields import Attributes, ExternalId, Input, Moment, NotBlank, Storable, Title, Url
from registry.inputs.stated_values import MAX_VALUES, SOURCE, StatedValueInput, fields_of_row

# The longest document, in characters: extraction and cutting take memory with it.
MAX_DOCUMENT_CHARACTERS = 4_000_000


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
    """When it was published, with its offset from UTC; a date alone is midnight in UTC."""
    attributes: Attributes = Field(default_factory=dict)
    """Any other fields, as a JSON object."""
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
