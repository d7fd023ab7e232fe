"""Input of a ConflictScore: its parameters, and documents that are sent with a response."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from answering.conflict.metrics import Uncovered
from answering.parameters import Number
from registry.inputs.fields import ExternalId, Input, Name, NotBlank, Storable, Title
from registry.settings import JudgeKind

MAX_DOCUMENTS = 100
MAX_DOCUMENT_CHARACTERS = 100_000


class SplitterKind(StrEnum):
    """What splits a response into claims."""

    RULES = "rules"
    LANGUAGE_MODEL = "language_model"


class ConflictParameters(Input):
    """Parameters of one score."""

    judge: JudgeKind = JudgeKind("compact")
    """What judges documents against claims: the compact judge, or the configured language model."""
    claims: SplitterKind = SplitterKind.RULES
    """What splits the response into claims: rules, which cost nothing, or the configured language model."""
    uncovered: Uncovered = Uncovered.ZERO
    """What a claim that no document speaks of counts in CS-R: `zero`, or nothing (`omit`)."""
    min_probability: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Labels less probable than this count as irrelevant; raise it to be told of fewer, surer conflicts."""
    least_reliability: Annotated[float, Field(ge=0, le=1), Number] = 0.0
    """Reliability below which documents of a source of this corpus do not count. Those of sources whose vote has no
    positive weight never do."""
    max_sources: Annotated[int, Field(ge=1, le=50), Number] = 8
    """Sources that are searched for documents, where none are sent."""
    passages_per_source: Annotated[int, Field(ge=1, le=10), Number] = 3
    """Passages taken of each of these."""


class GivenDocument(Input):
    """A document that comes with the request and is not kept."""

    content: Annotated[str, Field(min_length=1, max_length=MAX_DOCUMENT_CHARACTERS), Storable, NotBlank]
    """The text of the document."""
    external_id: ExternalId | None = None
    """The caller's id; by default the number of the document in the request."""
    title: Title = ""
    """The title of the document."""
    source: Name | None = None
    """Who published it. The `external_id` of a source of this corpus gives it the reliability of that source."""
    reliability: Annotated[float, Field(ge=0, le=1), Number] | None = None
    """Reliability of its source, for this score; by default that of the source in this corpus, whose documents are left
    out where its votes would have no weight."""
