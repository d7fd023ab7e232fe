"""Search within sources and over a corpus.

Ranking is hybrid: full text (any word of the question) and embeddings, fused by reciprocal rank (Cormack, Clarke and
Buettcher 2009, doi:10.1145/1571941.1572114, k = 60). Searches are exact but where `vector_index` says that reading an
approximate index is better: over large corpora, and within very large sources.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import Row, TextClause
from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from registry.models import Corpus
from registry.store.passages import statements
from registry.store.passages.vector_index import VectorIndex, searching, vector_index
from registry.store.passages.words import Words, words_of

Vector = NDArray[np.float32]

# Sources searched by one statement; more are searched by several, so that none takes long.
SOURCES_PER_STATEMENT = 500


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


ALL_PASSAGES = PassageFilter()


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
    index = await _index(session, where)
    large = {source_id: lists for source_id in passages if (lists := index and index.probes_of_source(source_id))}

    async def search(statement: TextClause, asked: Sequence[UUID], **found: object) -> None:
        for row in await session.execute(statement, parameters | found | {"sources": asked}):
            passages[row.source_id].append(RetrievedPassage(*row))

    if large:
        nearest = statements.nearest_of_sources(len(vector))
        async with searching(session, max(large.values())):
            rows = (await session.execute(nearest, parameters | {"sources": list(large)})).all()
        columns = ("near_sources", "near_documents", "near_ordinals", "near_distances")
        await search(statements.top_passages_of_found(), list(large), **_columns(rows, columns))
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
    """Active sources in which one search over the corpus finds a passage, with the best one's similarity in [0, 1].

    Of what `where` allows. Exact, in a time that grows with the size of this corpus, unless the index is better.
    """
    words = await words_of(session, corpus, question)
    only = None if where.source_ids is None else list(where.source_ids)
    parameters = _parameters(words, vector, where) | {"corpus_id": corpus.id, "limit": limit, "only": only}
    index = await _index(session, where)
    lists = index and index.probes_of_corpus(corpus.id, where.source_ids)
    found = await _candidates_by_index(session, words, len(vector), parameters, lists) if lists else None
    if found is None:
        rows = await session.execute(statements.candidate_sources(where.condition), parameters)
        found = {row.source_id: row.relevance for row in rows}
    return {source_id: min(max(relevance, 0.0), 1.0) for source_id, relevance in found.items()}


async def _candidates_by_index(
    session: AsyncSession, words: Words, dimension: int, parameters: Mapping[str, object], lists: int
) -> dict[UUID, float] | None:
    """None if most of the passages near the question are of the same few sources, which would hide the others."""
    async with searching(session, lists):
        nearest = (await session.execute(statements.nearest_of_corpus(dimension), parameters)).all()
    found = {**parameters, "pairs": words.pairs, **_columns(nearest, ("near_sources", "near_distances"))}
    rows = (await session.execute(statements.candidates_of_found(), found)).all()
    if not rows or rows[0].nearest < statements.CANDIDATE_PASSAGES:
        return None
    return {row.source_id: row.relevance for row in rows}


def _columns(rows: Sequence[Row[Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


async def _index(session: AsyncSession, where: PassageFilter) -> VectorIndex | None:
    """Documents that a condition holds for may be few among those in the index."""
    return None if where.condition else await vector_index(session)


def _parameters(words: Words, vector: Vector, where: PassageFilter) -> dict[str, object]:
    parameters: dict[str, object] = {"vector": HalfVector(vector).to_text(), "words": words.any}
    if not where.condition:
        return parameters
    start, end, stored = where.published_from, where.published_before, where.stored_until
    return parameters | {
        "published_from": start.isoformat() if start else "-infinity",
        "published_before": end.isoformat() if end else "infinity",
        "stored_until": stored.isoformat() if stored else "infinity",
    }
