"""What a search looks at, as parameters of its statements."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy.ext.asyncio import AsyncSession

from registry.passages import statements
from registry.passages.vector_index import VectorIndex, vector_index
from registry.passages.words import Words

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The passages that a search looks at: of these sources, of documents published in this period; None is open."""

    source_ids: tuple[UUID, ...] | None = None
    published_from: datetime | None = None
    published_before: datetime | None = None
    stored_until: datetime | None = None
    """Documents stored or replaced later do not count."""

    @property
    def condition(self) -> str:
        """On the documents of passages; empty where all of them count."""
        dated = self.published_from is not None or self.published_before is not None
        stored = self.stored_until is not None
        return statements.PUBLISHED * dated + statements.STORED * stored

    def allows(self, date: datetime | None) -> bool:
        """Whether what was said at this date counts; what is undated counts where all dates do."""
        if self.published_from is None and self.published_before is None:
            return True
        if date is None or (self.published_from is not None and date < self.published_from):
            return False
        return self.published_before is None or date < self.published_before


ALL_PASSAGES = PassageFilter()


async def index_for(session: AsyncSession, where: PassageFilter) -> VectorIndex | None:
    """The index of embeddings, if there is one; documents that a condition holds for may be few among those in it."""
    return None if where.condition else await vector_index(session)


def search_parameters(words: Words, vector: Vector, where: PassageFilter) -> dict[str, object]:
    """Parameters of every statement that searches passages."""
    parameters: dict[str, object] = {
        "vector": HalfVector(vector).to_text(),
        "words": words.any,
        "subject": words.all_of_subject,
    }
    if not where.condition:
        return parameters
    start, end, stored = where.published_from, where.published_before, where.stored_until
    return parameters | {
        "published_from": start.isoformat() if start else "-infinity",
        "published_before": end.isoformat() if end else "infinity",
        "stored_until": stored.isoformat() if stored else "infinity",
    }
