"""The unit of retrieval: a chunk of a document, and where it is from."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage found by a search; `start` and `end` are character offsets into its document's text."""

    source_id: UUID
    document_id: UUID
    ordinal: int
    """Position of the passage among those of its document, from 0."""
    start: int
    end: int
    content: str
    score: float
    """Reciprocal rank fusion; comparable only with other passages of the same source and search."""
    similarity: float
    """Cosine of its embedding and the question's."""
    title: str
    """The document's."""
    published_at: datetime | None
    external_id: str
    """The document's, as its publisher or the operator named it."""
    stored_at: datetime | None = None
    """When the document came into the corpus, or was last replaced."""
    url: str | None = None
    """Address of the document."""
    text_rank: float = -1.0
    """`ts_rank` of its words and those of the question; -1 if it holds none of these."""
    heading: str = ""
    """The headings of its document above it, the outermost first."""

    @property
    def context(self) -> str:
        """What it stands below and does not say itself: the title of its document, and the headings above it."""
        above = (line for line in (self.title, self.heading) if line and not self.content.startswith(line))
        return " | ".join(dict.fromkeys(above))
