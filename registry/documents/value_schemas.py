"""Stated values as callers send them, and how the columns of a table become such values."""

import csv
import math
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from answering.alignment import is_abstention
from registry.platform.fields import Input, Name, NotBlank, OneLine, Storable

MAX_VALUES = 100
SOURCE, SUBJECT, RELATION, VALUE = "source", "subject", "relation", "value"
LONG_FORM = {SUBJECT, RELATION, VALUE}
NO_COLUMNS: Mapping[str, str] = MappingProxyType({})

Subject = Annotated[str, Field(min_length=1, max_length=280), Storable, NotBlank, OneLine]


class StatedValueInput(Input):
    """A value that a document states as data."""

    subject: Subject
    """Subject of the value, such as `Kenya`; case, punctuation and articles do not distinguish subjects."""
    relation: Name
    """Relation of the value to the subject, such as `capital`."""
    value: Annotated[str, Field(min_length=1, max_length=2_000), Storable, NotBlank]
    """Value that the document states, such as `Nairobi`."""


def in_words(value: StatedValueInput) -> str:
    """The value as a sentence of the document of a row."""
    return f"{value.subject}; {value.relation}: {value.value}"


def _known_columns(columns: dict[str, str]) -> dict[str, str]:
    if not columns:
        return columns
    names = columns.keys() - {SOURCE}
    if SUBJECT not in names:
        raise ValueError("names no column of the subject, such as subject=country")
    if names & {RELATION, VALUE} and names != LONG_FORM:
        raise ValueError(
            "has relation and value each in a column (subject=item, relation=property, value=answer), or else names a "
            "column for each relation (subject=country, capital=capital)"
        )
    if len(names) == 1:
        raise ValueError("names no column of a relation, such as capital=capital")
    return columns


StatedColumns = Annotated[
    dict[Name, Annotated[str, Field(min_length=1, max_length=500), Storable]],
    Field(max_length=MAX_VALUES + 2),
    AfterValidator(_known_columns),
]
"""The columns of the subject and of each relation, or of `subject`, `relation` and `value`; also of the source."""
_COLUMNS: TypeAdapter[dict[str, str]] = TypeAdapter(StatedColumns)
_VALUE: TypeAdapter[StatedValueInput] = TypeAdapter(StatedValueInput)


def parse_columns(text: str) -> dict[str, str]:
    """The columns of `subject=country, capital, area=area_km2`; raises ValueError with a message for its author.

    A name alone is that of its column too. Names with a comma are put in quotation marks.
    """
    try:
        parts = [part.strip() for part in next(csv.reader([text], skipinitialspace=True, strict=True), [])]
    except csv.Error as error:
        raise ValueError(f"is no list of names with commas between them ({error})") from error
    pairs = [part.partition("=") for part in parts if part]
    columns = {name.strip(): column.strip() if equals else name.strip() for name, equals, column in pairs}
    if len(columns) < len(pairs):
        raise ValueError("names something twice")
    if not columns:
        raise ValueError("names no column of the subject, such as subject=country")
    try:
        return _COLUMNS.validate_python(columns)
    except ValidationError as error:
        raise ValueError(_why(error)) from error


def require_columns(present: Sequence[str], columns: Mapping[str, str]) -> None:
    """Raises ValueError where a table with these columns has not all that state values."""
    missing = [column for column in columns.values() if column not in present]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r}; the columns are {', '.join(map(repr, present))}"[:1000])


def values_of_row(row: Mapping[str, Any], columns: Mapping[str, str]) -> list[StatedValueInput]:
    """The values that a row states, in the order of the columns; empty cells, and such as `unknown`, state none.

    Raises ValueError where it has no subject or no value, or a cell is none.
    """
    subject = _text(row, columns[SUBJECT])
    if not subject:
        raise ValueError(f"no subject: the column {columns[SUBJECT]!r} is empty or missing")
    if isinstance(row.get(""), list):
        raise ValueError("the row has more cells than the table has columns")
    if RELATION in columns:
        relation = _text(row, columns[RELATION])
        cells = {relation: columns[VALUE]} if relation else {}
    else:
        cells = {relation: column for relation, column in columns.items() if relation not in {SOURCE, SUBJECT}}
    found = {relation: text for relation, column in cells.items() if (text := _text(row, column))}
    values = [
        _stated(subject, relation, text, cells[relation]) for relation, text in found.items() if not is_abstention(text)
    ]
    if not values:
        names = ", ".join(repr(column) for name, column in columns.items() if name not in {SOURCE, SUBJECT})
        raise ValueError(f"no value: nothing is stated in the columns {names}")
    return values


def fields_of_row(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """The document fields that stated values of a row fill in, unless the row gives them itself.

    A row sent again replaces the one of its subject, or of its subject and relation where these are in columns of their
    own. Raises ValueError as `values_of_row` does.
    """
    values = values_of_row(row, columns)
    first = values[0]
    return {
        "content": "\n".join(in_words(value) for value in values),
        "title": first.subject,
        "external_id": f"{first.subject}; {first.relation}" if RELATION in columns else first.subject,
        "stated_values": [value.model_dump() for value in values],
    }


def _stated(subject: str, relation: str, text: str, column: str) -> StatedValueInput:
    try:
        return _VALUE.validate_python({SUBJECT: subject, RELATION: relation, VALUE: text})
    except ValidationError as error:
        raise ValueError(f"column {column!r}: {_why(error)}") from error


def _why(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in problem["loc"] if part != "[key]")
    return f"{place}: {problem['msg'].removeprefix('Value error, ')}".removeprefix(": ")


def _text(row: Mapping[str, Any], column: str) -> str:
    """A cell as text; empty where there is nothing in it. Raises ValueError where it is neither text nor a value."""
    cell = row.get(column)
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        # Tables with gaps write 2586 as 2586.0, and a gap as NaN.
        return "" if math.isnan(cell) else str(int(cell)) if cell.is_integer() else repr(cell)
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, str | int | Decimal):
        return " ".join(str(cell).split())
    raise ValueError(f"column {column!r}: holds a list or an object, where a text, a number or a date states a value")
