"""What became of what was sent: of a document, or of one line of an import."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class LineStatus(StrEnum):
    """What became of a line."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class LineResult:
    """The result of one line, counted from 1; a rejected one says why."""

    line: int
    status: LineStatus
    id: UUID | None = None
    external_id: str | None = None
    error: str | None = None


def rejected(line: int, error: str, external_id: str | None = None) -> LineResult:
    """The result of a line that was refused."""
    return LineResult(line, LineStatus.REJECTED, external_id=external_id, error=error)
