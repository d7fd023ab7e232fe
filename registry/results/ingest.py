"""Results of ingest: of one document, and of one line of an import."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


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
    """What both answer."""
    answer: str
    quote: str
    """The sentence of the document."""
    other_source_id: UUID
    other_document_id: UUID
    other_answer: str
    other_quote: str
    """The sentence of the other document."""
    probability: float
    """That the two contradict each other, by the judge."""


@dataclass(frozen=True, slots=True)
class LineResult:
    """The result of one line, counted from 1; `error` says why it was rejected."""

    line: int
    status: LineStatus
    id: UUID | None = None
    external_id: str | None = None
    error: str | None = None
    contradictions: tuple[Contradiction, ...] | None = None
    """Of a document what others published against it; None where nobody looked."""


def rejected(line: int, error: str, external_id: str | None = None) -> LineResult:
    """The result of a rejected line."""
    return LineResult(line, LineStatus.REJECTED, external_id=external_id, error=error)


@dataclass(frozen=True, slots=True)
class IngestResult:
    """The result of one document; `passages` is how many it has."""

    document_id: UUID
    external_id: str
    status: LineStatus
    passages: int
