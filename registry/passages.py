"""Search: the best passages of each of many sources, and the sources in which anything is worth reading.

Ranking is hybrid: full text (any of the question's words) and embeddings, fused by reciprocal rank (Cormack, Clarke
and Buettcher 2009, k = 60). Within a source the search is exact: an approximate index filters after its scan, so that
a source among many would get too few rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from registry.models import Corpus

Vector = NDArray[np.float32]

# How many passages the search over a whole corpus looks at by each of its two rankings.
CANDIDATE_PASSAGES = 300

TOP_PASSAGES = text(
    r"""
    WITH asked AS MATERIALIZED (
        SELECT CAST(:vector AS halfvec) AS vector,
               replace(plainto_tsquery(CAST(:language AS regconfig), :question)\:\:text, ' & ', ' | ')\:\:tsquery
               AS words
    ), best AS (
        SELECT asked_source.id AS source_id, top.*
        FROM asked, unnest(CAST(:sources AS uuid[])) AS asked_source (id)
        CROSS JOIN LATERAL (
            SELECT document_id, ordinal, 1 - distance AS similarity,
                   1.0 / (60 + row_number() OVER (ORDER BY distance, document_id, ordinal))
                   + CASE WHEN overlap > 0
                          THEN 1.0 / (60 + row_number() OVER (ORDER BY overlap DESC, distance, document_id, ordinal))
                          ELSE 0 END AS score
            FROM (
                SELECT document_id, ordinal, embedding <=> asked.vector AS distance,
                       ts_rank_cd(lexemes, asked.words) AS overlap
                FROM passages WHERE source_id = asked_source.id
            ) AS compared
            ORDER BY score DESC, document_id, ordinal
            LIMIT :k
        ) AS top
    )
    SELECT best.source_id, best.document_id, best.ordinal, passages.start_offset, passages.end_offset, passages.content,
           best.score, best.similarity, documents.title, documents.published_at, documents.external_id
    FROM best
    JOIN passages USING (source_id, document_id, ordinal)
    JOIN documents ON documents.id = best.document_id
    ORDER BY best.source_id, best.score DESC, best.document_id, best.ordinal
    """
)

CANDIDATE_SOURCES = text(
    r"""
    WITH asked AS MATERIALIZED (
        SELECT CAST(:vector AS halfvec) AS vector,
               replace(plainto_tsquery(CAST(:language AS regconfig), :question)\:\:text, ' & ', ' | ')\:\:tsquery
               AS words
    ), found AS (
        (SELECT source_id, embedding <=> CAST(:vector AS halfvec) AS distance
         FROM passages WHERE corpus_id = :corpus_id
         ORDER BY embedding <=> CAST(:vector AS halfvec) LIMIT :passages)
        UNION ALL
        (SELECT source_id, embedding <=> asked.vector
         FROM passages, asked WHERE corpus_id = :corpus_id AND lexemes @@ asked.words
         ORDER BY ts_rank_cd(lexemes, asked.words) DESC LIMIT :passages)
    )
    SELECT source_id, 1 - min(distance) AS relevance
    FROM found JOIN sources ON sources.id = source_id AND sources.status = 'active'
    GROUP BY source_id ORDER BY min(distance), source_id LIMIT :limit
    """
)


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage and how it was found; `start` and `end` count characters of the document's text."""

    source_id: UUID
    document_id: UUID
    ordinal: int
    start: int
    end: int
    content: str
    score: float
    """Reciprocal rank fusion, of any use only beside others of the same source."""
    similarity: float
    """Cosine to the question."""
    title: str
    published_at: datetime | None
    external_id: str


async def top_passages(
    session: AsyncSession, corpus: Corpus, source_ids: Sequence[UUID], question: str, vector: Vector, k: int
) -> dict[UUID, list[FoundPassage]]:
    """The best k passages of each source, in one round trip; a source without passages has an empty list."""
    found: dict[UUID, list[FoundPassage]] = {source_id: [] for source_id in source_ids}
    rows = await session.execute(TOP_PASSAGES, _asked(corpus, question, vector) | {"sources": list(source_ids), "k": k})
    for row in rows:
        found[row.source_id].append(FoundPassage(*row))
    return found


async def candidate_sources(
    session: AsyncSession, corpus: Corpus, question: str, vector: Vector, *, limit: int
) -> dict[UUID, float]:
    """Active sources in which one search over the corpus finds a passage, with the best one's similarity in [0, 1]."""
    bounds = {"corpus_id": corpus.id, "passages": CANDIDATE_PASSAGES, "limit": limit}
    rows = await session.execute(CANDIDATE_SOURCES, _asked(corpus, question, vector) | bounds)
    return {row.source_id: min(max(row.relevance, 0.0), 1.0) for row in rows}


def _asked(corpus: Corpus, question: str, vector: Vector) -> dict[str, object]:
    return {"vector": HalfVector(vector).to_text(), "language": corpus.text_search, "question": question}
