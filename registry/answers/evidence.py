"""What a walk over the sources heard."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from answering.passages import RetrievedPassage
from answering.readers import Location, Usage
from answering.voting.selection import Selection


@dataclass(frozen=True, slots=True)
class Heard:
    """What a source said when it was asked, and from which passages."""

    answer: str | None
    passages: tuple[RetrievedPassage, ...]
    location: Location | None = None
    """Where in the passages the answer was copied from, if the reader says so."""
    confidence: float | None = None

    @property
    def relevance(self) -> float:
        """Cosine similarity of the best passage, negative ones as 0."""
        return max((max(passage.similarity, 0.0) for passage in self.passages), default=0.0)


@dataclass(frozen=True, slots=True)
class Walked:
    """The selection, what every source asked said, and what asking cost."""

    selection: Selection[UUID]
    heard: Mapping[UUID, Heard]
    cached: int
    usage: Usage
