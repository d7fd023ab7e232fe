"""Dify's external knowledge: what it sends, and the records that it takes."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from answering.parameters import Number
from api.http.schemas.base import Share, View
from api.http.schemas.chat import ClientInput
from registry.passages.schemas import MetadataCondition, MetadataFilter, MetadataOperator
from registry.platform.fields import Moment, Question, Storable


class RetrievalSetting(ClientInput):
    """The number of records that Dify wants, and how good."""

    top_k: Annotated[int, Field(ge=1, le=100), Number] = 4
    """Most records."""
    score_threshold: Annotated[float, Field(ge=0, le=1), Number] | None = None
    """Least score; null is 0."""


class ComparisonOperator(StrEnum):
    """Comparison of a condition on a document's metadata: of texts, of lists, of numbers, and of times."""

    CONTAINS = "contains"
    NOT_CONTAINS = "not contains"
    START_WITH = "start with"
    END_WITH = "end with"
    IS = "is"
    IS_NOT = "is not"
    IN = "in"
    NOT_IN = "not in"
    EMPTY = "empty"
    NOT_EMPTY = "not empty"
    EQUAL = "="
    NOT_EQUAL = "≠"
    ABOVE = ">"
    BELOW = "<"
    AT_LEAST = "≥"
    AT_MOST = "≤"
    BEFORE = "before"
    AFTER = "after"


# What each asks, and whether it asks the contrary.
_OPERATORS: Final = {
    ComparisonOperator.CONTAINS: (MetadataOperator.CONTAINS, False),
    ComparisonOperator.NOT_CONTAINS: (MetadataOperator.CONTAINS, True),
    ComparisonOperator.START_WITH: (MetadataOperator.STARTS, False),
    ComparisonOperator.END_WITH: (MetadataOperator.ENDS, False),
    ComparisonOperator.IS: (MetadataOperator.IN, False),
    ComparisonOperator.IS_NOT: (MetadataOperator.IN, True),
    ComparisonOperator.IN: (MetadataOperator.IN, False),
    ComparisonOperator.NOT_IN: (MetadataOperator.IN, True),
    ComparisonOperator.EMPTY: (MetadataOperator.PRESENT, True),
    ComparisonOperator.NOT_EMPTY: (MetadataOperator.PRESENT, False),
    ComparisonOperator.EQUAL: (MetadataOperator.EQUAL, False),
    ComparisonOperator.NOT_EQUAL: (MetadataOperator.EQUAL, True),
    ComparisonOperator.ABOVE: (MetadataOperator.ABOVE, False),
    ComparisonOperator.BELOW: (MetadataOperator.BELOW, False),
    ComparisonOperator.AT_LEAST: (MetadataOperator.AT_LEAST, False),
    ComparisonOperator.AT_MOST: (MetadataOperator.AT_MOST, False),
    ComparisonOperator.BEFORE: (MetadataOperator.BEFORE, False),
    ComparisonOperator.AFTER: (MetadataOperator.AFTER, False),
}
_LISTS: Final = {ComparisonOperator.IN, ComparisonOperator.NOT_IN}
_WITHOUT_VALUE: Final = {ComparisonOperator.EMPTY, ComparisonOperator.NOT_EMPTY}
_TIMES: Final = {ComparisonOperator.BEFORE, ComparisonOperator.AFTER}
_TEXTS: Final = {
    ComparisonOperator.CONTAINS,
    ComparisonOperator.NOT_CONTAINS,
    ComparisonOperator.START_WITH,
    ComparisonOperator.END_WITH,
    ComparisonOperator.IS,
    ComparisonOperator.IS_NOT,
}
_MOMENT: Final[TypeAdapter[datetime]] = TypeAdapter(Moment)
# Of numbers: what Postgres takes for one, and no more digits than it needs.
_DECIMAL: Final = re.compile(r"[+-]?\d{1,100}(\.\d{1,100})?", re.ASCII)
MAX_CONDITIONS, MAX_NAMES, MAX_VALUES = 20, 20, 1_000
# Of the metadata of a record these are the query's, not the document's.
NOT_OF_DOCUMENTS: Final = frozenset({"reliability", "relevance"})

MetadataText: TypeAlias = Annotated[str, Field(max_length=2_000), Storable]
MetadataName: TypeAlias = Annotated[str, Field(min_length=1, max_length=200), Storable]
MetadataNumber: TypeAlias = Annotated[int | float, Number]


class Condition(ClientInput):
    """A condition on the metadata of documents."""

    name: MetadataName | Annotated[list[MetadataName], Field(min_length=1, max_length=MAX_NAMES)]
    """Field of the condition: `title`, `source` (its name), `url`, `path`, `published_at`, `external_id`,
    `document_id`, or an attribute of the document. Of several names one has to do, and of a list one of its elements.
    """
    comparison_operator: ComparisonOperator
    """Comparison. The contrary, as of `is not`, also holds for a document without the value."""
    value: (
        MetadataText
        | MetadataNumber
        | Annotated[list[MetadataText | MetadataNumber], Field(min_length=1, max_length=MAX_VALUES)]
        | None
    ) = None
    """Value to compare with: a text; a number; for `in` and `not in` a list; for `before` and `after` a time as RFC
    3339 writes it, a date, or seconds since 1970. `empty` and `not empty` need none."""

    @model_validator(mode="after")
    def _is_meant(self) -> Self:
        self.condition()
        return self

    def condition(self) -> MetadataCondition:
        """The condition as ours; raises ValueError if the value does not fit the operator."""
        names = (self.name,) if isinstance(self.name, str) else tuple(self.name)
        if no_metadata := NOT_OF_DOCUMENTS.intersection(names):
            raise ValueError(f"{min(no_metadata)!r} is no metadata of documents that can be filtered by")
        operator, negated = _OPERATORS[self.comparison_operator]
        return MetadataCondition(names, operator, self._value(), negated)

    def _value(self) -> str | list[str]:
        asked, value = self.comparison_operator, self.value
        if asked in _WITHOUT_VALUE:
            return ""
        if value is None:
            raise ValueError(f"{asked.value!r} needs a value")
        if asked in _LISTS:
            return [_text(each) for each in value] if isinstance(value, list) else [_text(value)]
        if isinstance(value, list):
            raise ValueError(f"{asked.value!r} takes one value, not a list")
        if asked in _TEXTS:
            return [_text(value)] if _OPERATORS[asked][0] is MetadataOperator.IN else _text(value)
        return _time(value) if asked in _TIMES else _number(value)


def _text(value: str | float) -> str:
    """The text as the attribute has it: 3.0 is 3 in JSON of Postgres."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _number(value: str | float) -> str:
    text = format(Decimal(str(value)), "f") if not isinstance(value, str) else value.strip()
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{text[:50]!r} is no number")
    return text


def _time(value: str | float) -> str:
    try:
        moment = _MOMENT.validate_python(value) if isinstance(value, str) else datetime.fromtimestamp(value, UTC)
    except (ValidationError, OverflowError, OSError, ValueError) as error:
        raise ValueError(f"{str(value)[:50]!r} is no time: give one as RFC 3339 writes it, or a date") from error
    return moment.isoformat()


class MetadataConditions(ClientInput):
    """Conditions on the metadata of documents."""

    logical_operator: Literal["and", "or"] | None = "and"
    """Whether all have to hold, or one."""
    conditions: Annotated[list[Condition], Field(max_length=MAX_CONDITIONS)] | None = None
    """The conditions; without any all documents count."""

    def filter(self) -> MetadataFilter | None:
        """The filter for the conditions; None if there are none."""
        conditions = tuple(each.condition() for each in self.conditions or ())
        return MetadataFilter(conditions, all=self.logical_operator != "or") if conditions else None


class RetrievalInput(ClientInput):
    """A query to a knowledge base."""

    knowledge_id: str
    """Name of the corpus."""
    query: Question
    """Text to search for."""
    retrieval_setting: RetrievalSetting = RetrievalSetting()
    """Number of records, and how good."""
    metadata_condition: MetadataConditions | None = None
    """Conditions on the metadata of documents; null: all documents count."""


class DifyError(View):
    """A failure, as Dify shows it."""

    error_code: int = Field(
        description="1002: the key is not accepted; 2001: there is no such knowledge base; else the HTTP status."
    )
    error_msg: str = Field(description="What is wrong.", examples=["There is no corpus 'press'."])


class RecordMetadata(View):
    """The origin of a record, which Dify shows."""

    document_id: str = Field(description="Identifier of the document.")
    source: str = Field(description="Name of the source.", examples=["Acme's blog"])
    reliability: Share | None = Field(
        description="Reliability of the source on the topic of the query; null before the first estimation."
    )
    relevance: Share = Field(
        description="Cosine similarity of the passage to the query and the share of its words, three to two."
    )
    published_at: str | None = Field(description="When the document was published, RFC 3339.")
    url: str | None = Field(description="Address of the document, else of the source.")
    path: str = Field(description="The same, or the document's external id; Dify links it.")


class Record(View):
    """A passage."""

    content: str = Field(description="The passage, verbatim.")
    score: Share = Field(description="Relevance weighed by reliability.")
    title: str = Field(description="Title of the document, and its source.")
    metadata: RecordMetadata = Field(description="Where it is from.")


class RetrievalResult(View):
    """The records, best first."""

    records: list[Record] = Field(description="The best passages over all sources of the corpus.")
