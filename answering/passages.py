"""The unit of retrieval: a chunk of a document, and where it is from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

# The position of a title among the passages of its document.
_OF_TITLE = -1
# A title of fewer words mostly names what its document is about. Set by hand: no other number was tried.
_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage found by a search; `start` and `end` are character offsets into its document's text."""

    source_id: UUID
    document_id: UUID
    ordinal: int
    """Position of the passage among those of its document, from 0; of its title, which has no offsets, -1."""
    start: int
    end: int
    content: str
    relevance: float
    """To the question, in [0, 1]: by the cosine of the embeddings and the share of the question's words in it."""
    title: str
    """The document's."""
    published_at: datetime | None
    external_id: str
    """The document's, as its publisher or the operator named it."""
    stored_at: datetime | None = None
    """When the document came into the corpus, or was last replaced."""
    url: str | None = None
    """Address of the document."""
    heading: str = ""
    """The headings of its document above it, the outermost first."""
    revision: int | None = None

    @property
    def is_title(self) -> bool:
        return self.ordinal == _OF_TITLE

    @property
    def context(self) -> str:
        """The title of its document, and the headings above it."""
        if self.is_title:
            return ""
        return " | ".join(dict.fromkeys(line for line in (self.title, self.heading) if line))


def with_titles(passages: Sequence[RetrievedPassage]) -> tuple[RetrievedPassage, ...]:
    """The passages, and behind them the titles of their documents that say something and stand in none of them.

    The text below a headline may take for known what it says.
    """
    return (*passages, *_titles(passages))


def _titles(passages: Sequence[RetrievedPassage]) -> Iterator[RetrievedPassage]:
    firsts: dict[UUID, RetrievedPassage] = {}
    for passage in passages:
        firsts.setdefault(passage.document_id, passage)
    for first in firsts.values():
        is_said = any(first.title in passage.content for passage in passages)
        if len(first.title.split()) >= _FEWEST_WORDS and not is_said:
            yield replace(first, ordinal=_OF_TITLE, start=0, end=0, content=first.title, heading="")


@dataclass(frozen=True, slots=True)
class PassageTexts:
    """Passages that are read together: their contents, and the context of each, empty if no passage has one."""

    contents: tuple[str, ...]
    contexts: tuple[str, ...] = ()

    @classmethod
    def of(cls, passages: Sequence[RetrievedPassage]) -> "PassageTexts":
        contexts = tuple(passage.context for passage in passages)
        return cls(tuple(passage.content for passage in passages), contexts if any(contexts) else ())
