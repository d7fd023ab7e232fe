"""Search within sources, and over a corpus.

Within sources ranking is hybrid: full text (any word of the question) and embeddings, fused by reciprocal rank
(Cormack, Clarke and Buettcher 2009, doi:10.1145/1571941.1572114, k = 60). Passages with all words of the names in the
question, in their text, headings or title, come before all others, since those on a neighbour of what is asked resemble
the question as much. The search over a corpus looks at the passages nearest to a question, and at those with its words.

Both are exact, in a time that grows with the size of what is searched, but where `vector_index` says that reading an
approximate index is better.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Self, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import TextClause
from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from answering.questions.asked_period import AskedPeriod
from registry.corpora.model import Corpus
from registry.passages.schemas import MetadataFilter
from registry.passages.store import statements
from registry.passages.store.metadata import documents_condition, metadata_parameters
from registry.passages.store.vector_index import VectorIndex, searching, vector_index
from registry.passages.store.words import Words, words_of
from registry.viewers.model import ALL_SEEING, Viewer

# Sources searched by one statement; more are searched by several, so that none takes long.
SOURCES_PER_STATEMENT = 500

Found: TypeAlias = tuple[UUID, float]
"""The source of a passage, and its distance from the question."""
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The passages that a search looks at: of these sources and this period, None being open, that the viewer sees."""

    source_ids: tuple[UUID, ...] | None = None
    published_from: datetime | None = None
    published_before: datetime | None = None
    undated: bool = False
    """Whether documents without a time of publication count where a period is given."""
    stored_until: datetime | None = None
    """Documents stored or replaced later do not count."""
    documents: tuple[str, ...] | None = None
    """External ids of the documents that count; None is all."""
    metadata: MetadataFilter | None = None
    """Conditions on the metadata of documents, at least one."""
    viewer: Viewer = ALL_SEEING
    """Documents that it may not see do not count."""

    @property
    def condition(self) -> str:
        """The condition on the documents of passages; empty if all of them count."""
        dated = self.published_from is not None or self.published_before is not None
        stored, named = self.stored_until is not None, self.documents is not None
        of_metadata = documents_condition(self.metadata) if self.metadata is not None else ""
        restricted = not self.viewer.sees_all
        visible = statements.VISIBLE * restricted
        own = statements.PUBLISHED * dated + statements.STORED * stored + statements.NAMED * named
        return own + of_metadata + visible

    def allows(self, date: datetime | None) -> bool:
        """Whether what was said at this date, in no document, counts; what is undated counts where all dates do."""
        if self.documents is not None:
            return False
        if self.published_from is None and self.published_before is None:
            return True
        if date is None:
            return self.undated
        if self.published_from is not None and date < self.published_from:
            return False
        return self.published_before is None or date < self.published_before

    def within(self, period: AskedPeriod) -> Self:
        """The filter without documents that are known to be of another time."""
        return replace(self, published_from=period.start, published_before=period.end, undated=True)


ALL_PASSAGES = PassageFilter()


async def within_period(
    session: AsyncSession, corpus: Corpus, period: AskedPeriod | None, where: PassageFilter
) -> PassageFilter:
    """`where`, without documents of another time than a question asks about, if some are of that time."""
    if period is None or where.published_from is not None or where.published_before is not None:
        return where
    asked = {"corpus_id": corpus.id, "start": period.start, "end": period.end}
    return where.within(period) if await session.scalar(statements.ANY_OF_PERIOD, asked) else where


async def top_passages(
    session: AsyncSession,
    corpus: Corpus,
    source_ids: Sequence[UUID],
    question: str,
    vector: Vector,
    k: int,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[UUID, list[RetrievedPassage]]:
    """The best k passages of each source, best first; a source without passages has an empty list.

    `where` restricts the documents. One round trip searches `SOURCES_PER_STATEMENT` sources.
    """
    passages: dict[UUID, list[RetrievedPassage]] = {source_id: [] for source_id in source_ids}
    words = await words_of(session, corpus, question)
    parameters = _parameters(words, vector, where) | {"k": k}
    index = await _index_for(session, where)
    large = {source_id: lists for source_id in passages if (lists := index and index.probes_of_source(source_id))}

    async def search(statement: TextClause, asked: Sequence[UUID], **found: object) -> None:
        for row in await session.execute(statement, parameters | found | {"sources": asked}):
            passages[row.source_id].append(RetrievedPassage(*row))

    if large:
        nearest = statements.nearest_of_sources(len(vector))
        async with searching(session, max(large.values())):
            rows = (await session.execute(nearest, parameters | {"sources": list(large)})).all()
        columns = ("near_sources", "near_documents", "near_ordinals", "near_distances")
        found = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
        await search(statements.top_passages_of_found(), list(large), **found)
    others = [source_id for source_id in passages if source_id not in large]
    for start in range(0, len(others), SOURCES_PER_STATEMENT):
        exactly = statements.top_passages(where.condition)
        await search(exactly, others[start : start + SOURCES_PER_STATEMENT])
    return passages


async def candidate_sources(
    session: AsyncSession,
    corpus: Corpus,
    question: str,
    vector: Vector,
    *,
    limit: int,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[UUID, float]:
    """Active sources in which one search over the corpus finds a passage, with the best one's similarity in [0, 1]."""
    words = await words_of(session, corpus, question)
    only = None if where.source_ids is None else list(where.source_ids)
    parameters = _parameters(words, vector, where)
    parameters |= {"corpus_id": corpus.id, "only": only, "pairs": words.pairs}
    index = await _index_for(session, where)
    lists = None if index is None else index.probes_of_corpus(corpus.id, where.source_ids)
    nearest = None if lists is None else await _nearest_by_index(session, parameters, len(vector), lists)
    if nearest is None:
        nearest = await _found(session, statements.nearest_of_corpus(where.condition), parameters)
    matching = await _found(session, statements.matching_of_corpus(where.condition), parameters)
    distances: dict[UUID, float] = {}
    for source_id, distance in chain(nearest, matching):
        distances[source_id] = min(distance, distances.get(source_id, distance))
    best = sorted(distances, key=lambda source_id: (distances[source_id], source_id))[:limit]
    return {source_id: min(max(1 - distances[source_id], 0.0), 1.0) for source_id in best}


async def _nearest_by_index(
    session: AsyncSession, parameters: Mapping[str, object], dimension: int, lists: int
) -> Sequence[Found] | None:
    """None if most of the passages near the question are of the same few sources, which would hide the others."""
    async with searching(session, lists):
        indexed = await _found(session, statements.indexed_of_corpus(dimension), parameters)
    kept = list(_first_of_each(indexed))[: statements.CANDIDATE_PASSAGES]
    return kept if len(kept) == statements.CANDIDATE_PASSAGES else None


async def _found(session: AsyncSession, statement: TextClause, parameters: Mapping[str, object]) -> Sequence[Found]:
    return [(row.source_id, row.distance) for row in await session.execute(statement, parameters)]


def _first_of_each(found: Iterable[Found]) -> Iterator[Found]:
    """At most `PASSAGES_PER_CANDIDATE` passages of each source."""
    counts = Counter[UUID]()
    for source_id, distance in found:
        counts[source_id] += 1
        if counts[source_id] <= statements.PASSAGES_PER_CANDIDATE:
            yield source_id, distance


async def _index_for(session: AsyncSession, where: PassageFilter) -> VectorIndex | None:
    """The index of embeddings, if there is one; documents that a condition holds for may be few among those in it."""
    return None if where.condition else await vector_index(session)


def _parameters(words: Words, vector: Vector, where: PassageFilter) -> dict[str, object]:
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
        "undated": where.undated,
        "stored_until": stored.isoformat() if stored else "infinity",
        "documents": None if where.documents is None else list(where.documents),
        **(metadata_parameters(where.metadata) if where.metadata is not None else {}),
        "groups": where.viewer.stored,
    }
