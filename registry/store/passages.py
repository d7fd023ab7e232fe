"""Search: the best passages of each of many sources, and the sources in which a search of the corpus finds a passage.

Ranking is hybrid: full text (any word of the question) and embeddings, fused by reciprocal rank (Cormack, Clarke and
Buettcher 2009, doi:10.1145/1571941.1572114, k = 60). Within a source the search is exact: an approximate index filters
after its scan, so that a source among many would get too few rows.

A word that occurs in every tenth passage hardly discriminates and costs most of a search. Where there are many
passages, full text searches for the rarer words of a question only.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from uuid import UUID
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import Engine, TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.passages import RetrievedPassage
from registry.models import Corpus

Vector = NDArray[np.float32]

# How deep both rankings of a source go before they are fused.
DEPTH = 30
# Sources searched by one statement; more are searched by several, so that none takes long.
SOURCES_PER_STATEMENT = 500
# How many passages the search over a whole corpus looks at in each of its two rankings, and of one source at most.
CANDIDATE_PASSAGES = 300
PASSAGES_PER_CANDIDATE = 10
# Estimated matches of all words of a question together: 30 ms at a million passages instead of 600.
MAX_MATCHES = 20_000
STALE_SECONDS = 60.0

# The condition on passages of documents that were published in a period.
PUBLISHED = """
    AND document_id IN (
        SELECT id FROM documents WHERE source_id = {source_id}
            AND published_at >= CAST(:published_from AS timestamptz)
            AND published_at < CAST(:published_before AS timestamptz)
    )
"""
ANY_TIME = ""

TOP_PASSAGES = """
    WITH nearest AS (
        SELECT asked.source_id, near.document_id, near.ordinal,
               row_number() OVER (PARTITION BY asked.source_id
                                  ORDER BY near.distance, near.document_id, near.ordinal) AS place
        FROM unnest(CAST(:sources AS uuid[])) AS asked (source_id)
        CROSS JOIN LATERAL (
            SELECT document_id, ordinal, embedding <=> CAST(:vector AS halfvec) AS distance
            FROM passages WHERE source_id = asked.source_id {of_asked}
            ORDER BY distance, document_id, ordinal LIMIT {depth}
        ) AS near
    ), matching AS (
        SELECT source_id, document_id, ordinal,
               row_number() OVER (
                   PARTITION BY source_id
                   ORDER BY ts_rank(lexemes, CAST(:words AS tsquery)) DESC, document_id, ordinal
               ) AS place
        FROM passages
        WHERE source_id = ANY(CAST(:sources AS uuid[])) AND lexemes @@ CAST(:words AS tsquery) {of_passage}
    ), fused AS (
        SELECT source_id, document_id, ordinal, sum(CAST(1.0 AS float8) / (60 + place)) AS score
        FROM (SELECT * FROM nearest UNION ALL SELECT * FROM matching WHERE place <= {depth}) AS rankings
        GROUP BY source_id, document_id, ordinal
    ), best AS (
        SELECT *, row_number() OVER (PARTITION BY source_id ORDER BY score DESC, document_id, ordinal) AS place
        FROM fused
    )
    SELECT best.source_id, best.document_id, best.ordinal, passage.start_offset, passage.end_offset,
           passage.content, best.score, 1 - (passage.embedding <=> CAST(:vector AS halfvec)) AS similarity,
           document.title, document.published_at, document.external_id, document.updated_at, document.url
    FROM best
    -- One by one: as plain joins these would be planned as scans of all passages and all documents.
    CROSS JOIN LATERAL (
        SELECT * FROM passages
        WHERE source_id = best.source_id AND document_id = best.document_id AND ordinal = best.ordinal LIMIT 1
    ) AS passage
    CROSS JOIN LATERAL (SELECT * FROM documents WHERE id = best.document_id LIMIT 1) AS document
    WHERE best.place <= :k
    ORDER BY best.source_id, best.place
"""

CANDIDATE_SOURCES = """
    WITH active AS MATERIALIZED (
        SELECT id FROM sources WHERE corpus_id = :corpus_id AND status = 'active'
            AND (CAST(:only AS uuid[]) IS NULL OR id = ANY(CAST(:only AS uuid[])))
    ), found AS (
        (SELECT active.id AS source_id, near.distance
         FROM active CROSS JOIN LATERAL (
             SELECT embedding <=> CAST(:vector AS halfvec) AS distance
             FROM passages WHERE source_id = active.id {of_active} ORDER BY distance LIMIT {passages_per_candidate}
         ) AS near
         ORDER BY near.distance LIMIT {candidate_passages})
        UNION ALL
        (SELECT source_id, embedding <=> CAST(:vector AS halfvec)
         FROM passages JOIN active ON active.id = source_id
         WHERE lexemes @@ CAST(:words AS tsquery) {of_passage}
         ORDER BY ts_rank(lexemes, CAST(:words AS tsquery)) DESC, source_id LIMIT {candidate_passages})
    )
    SELECT source_id, 1 - min(distance) AS relevance
    FROM found GROUP BY source_id ORDER BY min(distance), source_id LIMIT :limit
"""

LEXEMES = text("SELECT lexeme FROM unnest(to_tsvector(CAST(:language AS regconfig), :question))")
# Passages with each frequent lexeme, as ANALYZE estimated; a lexeme that is not listed is rare.
FREQUENT_LEXEMES = text(
    r"""
    SELECT common.lexeme, sum(common.frequency * greatest(partition.reltuples, 0))
    FROM pg_inherits
    JOIN pg_class AS partition ON partition.oid = pg_inherits.inhrelid
    JOIN pg_stats ON pg_stats.tablename = partition.relname AND pg_stats.attname = 'lexemes'
         AND pg_stats.schemaname = current_schema()
    CROSS JOIN unnest(most_common_elems\:\:text\:\:text[], most_common_elem_freqs) AS common (lexeme, frequency)
    WHERE pg_inherits.inhparent = CAST('passages' AS regclass) AND common.lexeme IS NOT NULL
    GROUP BY common.lexeme
    """
)

_frequent_lexemes: WeakKeyDictionary[Engine, tuple[float, Mapping[str, float]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The passages that a search looks at: of these sources, of documents published in this period; None is open."""

    source_ids: tuple[UUID, ...] | None = None
    published_from: datetime | None = None
    published_before: datetime | None = None

    @property
    def is_dated(self) -> bool:
        """Whether documents count that were published in a period only."""
        return self.published_from is not None or self.published_before is not None


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
    parameters = await _parameters(session, corpus, question, vector, where)
    statement = _top_passages(is_dated=where.is_dated)
    for start in range(0, len(passages), SOURCES_PER_STATEMENT):
        batch = list(passages)[start : start + SOURCES_PER_STATEMENT]
        for row in await session.execute(statement, parameters | {"sources": batch, "k": k}):
            passages[row.source_id].append(RetrievedPassage(*row))
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

    `where` restricts sources and documents. Exact; its time grows with the size of this corpus alone.
    """
    parameters = await _parameters(session, corpus, question, vector, where)
    only = None if where.source_ids is None else list(where.source_ids)
    rows = await session.execute(
        _candidate_sources(is_dated=where.is_dated),
        parameters | {"corpus_id": corpus.id, "limit": limit, "only": only},
    )
    return {row.source_id: min(max(row.relevance, 0.0), 1.0) for row in rows}


@cache
def _top_passages(*, is_dated: bool) -> TextClause:
    condition = PUBLISHED if is_dated else ANY_TIME
    of_asked, of_passage = (condition.format(source_id=name) for name in ("asked.source_id", "passages.source_id"))
    return text(TOP_PASSAGES.format(of_asked=of_asked, of_passage=of_passage, depth=DEPTH))


@cache
def _candidate_sources(*, is_dated: bool) -> TextClause:
    condition = PUBLISHED if is_dated else ANY_TIME
    of_active, of_passage = (condition.format(source_id=name) for name in ("active.id", "passages.source_id"))
    limits = {"passages_per_candidate": PASSAGES_PER_CANDIDATE, "candidate_passages": CANDIDATE_PASSAGES}
    return text(CANDIDATE_SOURCES.format(of_active=of_active, of_passage=of_passage, **limits))


async def _parameters(
    session: AsyncSession, corpus: Corpus, question: str, vector: Vector, where: PassageFilter
) -> dict[str, object]:
    parameters: dict[str, object] = {
        "vector": HalfVector(vector).to_text(),
        "words": await tsquery_of(session, corpus, question),
    }
    if not where.is_dated:
        return parameters
    start, end = where.published_from, where.published_before
    return parameters | {
        "published_from": start.isoformat() if start else "-infinity",
        "published_before": end.isoformat() if end else "infinity",
    }


async def tsquery_of(session: AsyncSession, corpus: Corpus, question: str) -> str:
    """The text of a tsquery for any of the rarer words of the question; empty if it has no words but stop words."""
    parameters = {"language": corpus.text_search, "question": question.replace("\x00", " ")}
    lexemes = (await session.scalars(LEXEMES, parameters)).all()
    return " | ".join(map(quote_lexeme, rarest_lexemes(lexemes, await _match_counts(session))))


def rarest_lexemes(lexemes: Sequence[str], matches: Mapping[str, float]) -> list[str]:
    """The lexemes from rare to frequent whose matches together stay within `MAX_MATCHES`; at least the rarest one.

    `matches` maps frequent lexemes to estimated numbers of passages.
    """
    chosen: list[str] = []
    total = 0.0
    for lexeme in sorted(lexemes, key=lambda lexeme: (matches.get(lexeme, 0.0), lexeme)):
        total += matches.get(lexeme, 0.0)
        if chosen and total > MAX_MATCHES:
            break
        chosen.append(lexeme)
    return chosen


def quote_lexeme(lexeme: str) -> str:
    """The lexeme quoted for the text of a tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


async def _match_counts(session: AsyncSession) -> Mapping[str, float]:
    engine = session.get_bind().engine
    read_at, counts = _frequent_lexemes.get(engine, (-STALE_SECONDS, {}))
    if time.monotonic() - read_at < STALE_SECONDS:
        return counts
    counts = {lexeme: float(passages) for lexeme, passages in await session.execute(FREQUENT_LEXEMES)}
    _frequent_lexemes[engine] = (time.monotonic(), counts)
    return counts
