"""Search over a corpus: the sources in which it finds a passage.

It looks at the passages nearest to a question, and at those with its words, and compares their relevance. Both are
exact, in a time that grows with the size of what is searched, but where reading the approximate index of all embeddings
is better.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import TypeAlias
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Vector
from registry.corpora.model import Corpus
from registry.passages.schemas import ALL_PASSAGES, PassageFilter
from registry.passages.store import RELEVANCE, STATEMENTS, conditions, documents_condition, index_for, search_parameters
from registry.passages.store.indexes import indexed, searching, words_of

# How many passages the search over a whole corpus looks at in each of its two rankings, and of one source at most.
CANDIDATE_PASSAGES = 300
PASSAGES_PER_CANDIDATE = 10
# Passages with two words of a question from which on those with one are not looked at. Of 2,273 sources worth reading
# for the questions of `benchmarks.web` 20, 50 and 100 miss none; benchmarks/notes/storage.md has what was compared.
ENOUGH_PAIRS = 50
# How many nearest passages the index is asked for, so that enough are left when a source has more than its share.
INDEXED_PASSAGES = 600
# Sources of a corpus below which the passages near a question are likely to be of too few sources.
MIN_SOURCES = 2 * CANDIDATE_PASSAGES // PASSAGES_PER_CANDIDATE

Found: TypeAlias = tuple[UUID, float]
"""The source of a passage, and its relevance to the question."""

ACTIVE = """
    active AS MATERIALIZED (
        SELECT id FROM sources WHERE corpus_id = :corpus_id AND status = 'active'
            AND (CAST(:only AS uuid[]) IS NULL OR id = ANY(CAST(:only AS uuid[])))
    )
"""

# The nearest passages of a corpus, at most some of each source: all distances are computed, or the index is read.
NEAREST_OF_CORPUS = """
    WITH {active}
    SELECT source_id, relevance
    FROM (
        SELECT active.id, near.* FROM active CROSS JOIN LATERAL (
            SELECT document_id, ordinal, embedding <=> CAST(:vector AS halfvec) AS distance
            FROM passages WHERE source_id = active.id {of_active} ORDER BY distance LIMIT {passages_per_candidate}
        ) AS near
        ORDER BY distance, active.id LIMIT {candidate_passages}
    ) AS nearest
    -- Their words are no part of the index in which all distances are.
    CROSS JOIN LATERAL (
        SELECT source_id, {relevance} AS relevance FROM passages
        WHERE source_id = nearest.id AND document_id = nearest.document_id AND ordinal = nearest.ordinal LIMIT 1
    ) AS measured
"""
INDEXED_OF_CORPUS = """
    WITH {active}
    SELECT source_id, {relevance}
    FROM (
        SELECT source_id, lexemes, embedding, {indexed} <=> CAST(:vector AS halfvec({dimension})) AS distance
        FROM passages
        -- With `IS TRUE` it is no join, which would be free to change the order of the index.
        WHERE (source_id IN (SELECT id FROM active)) IS TRUE
        ORDER BY distance LIMIT {indexed_passages}
    ) AS nearest
    ORDER BY distance
"""

# Passages with one of the words only, which are many, are not read where enough hold two, which rank higher.
MATCHING_OF_CORPUS = """
    WITH {active}, pairs AS MATERIALIZED (
        SELECT passages.* FROM passages JOIN active ON active.id = source_id
        WHERE lexemes @@ CAST(:pairs AS tsquery) {of_passage}
        ORDER BY ts_rank(lexemes, CAST(:words AS tsquery)) DESC, source_id, document_id, ordinal
        LIMIT {candidate_passages}
    )
    SELECT source_id, {relevance}
    FROM (
        SELECT * FROM pairs
        UNION ALL
        (SELECT passages.* FROM passages JOIN active ON active.id = source_id
         WHERE lexemes @@ CAST(:words AS tsquery) AND (SELECT count(*) FROM pairs) < {enough_pairs} {of_passage}
         ORDER BY ts_rank(lexemes, CAST(:words AS tsquery)) DESC, source_id, document_id, ordinal
         LIMIT {candidate_passages})
    ) AS matching
"""
LIMITS = {
    "passages_per_candidate": PASSAGES_PER_CANDIDATE,
    "candidate_passages": CANDIDATE_PASSAGES,
    "enough_pairs": ENOUGH_PAIRS,
    "indexed_passages": INDEXED_PASSAGES,
    "relevance": RELEVANCE,
}


async def candidate_sources(
    session: AsyncSession,
    corpus: Corpus,
    question: str,
    vector: Vector,
    *,
    limit: int,
    where: PassageFilter = ALL_PASSAGES,
) -> dict[UUID, float]:
    """Active sources in which one search over the corpus finds a passage, with the best one's relevance in [0, 1]."""
    words = await words_of(session, corpus, question)
    only = None if where.source_ids is None else list(where.source_ids)
    parameters = search_parameters(words, vector, where)
    parameters |= {"corpus_id": corpus.id, "only": only, "pairs": words.pairs}
    index = await index_for(session, where)
    lists = None if index is None else index.probes_of_corpus(corpus.id, where.source_ids, MIN_SOURCES)
    nearest = None if lists is None else await _nearest_by_index(session, parameters, len(vector), lists)
    if nearest is None:
        nearest = await _found(session, _nearest(documents_condition(where)), parameters)
    matching = await _found(session, _matching(documents_condition(where)), parameters)
    relevance: dict[UUID, float] = {}
    for source_id, of_passage in chain(nearest, matching):
        relevance[source_id] = max(of_passage, relevance.get(source_id, of_passage))
    best = sorted(relevance, key=lambda source_id: (-relevance[source_id], source_id))[:limit]
    return {source_id: max(relevance[source_id], 0.0) for source_id in best}


async def _nearest_by_index(
    session: AsyncSession, parameters: Mapping[str, object], dimension: int, lists: int
) -> Sequence[Found] | None:
    """None if most of the passages near the question are of the same few sources, which would hide the others."""
    async with searching(session, lists):
        indexed = await _found(session, _indexed(dimension), parameters)
    kept = list(_first_of_each(indexed))[:CANDIDATE_PASSAGES]
    return kept if len(kept) == CANDIDATE_PASSAGES else None


async def _found(session: AsyncSession, statement: TextClause, parameters: Mapping[str, object]) -> Sequence[Found]:
    return [(source_id, relevance) for source_id, relevance in await session.execute(statement, parameters)]


def _first_of_each(found: Iterable[Found]) -> Iterator[Found]:
    """At most `PASSAGES_PER_CANDIDATE` passages of each source."""
    counts = Counter[UUID]()
    for source_id, relevance in found:
        counts[source_id] += 1
        if counts[source_id] <= PASSAGES_PER_CANDIDATE:
            yield source_id, relevance


@lru_cache(STATEMENTS)
def _nearest(condition: str) -> TextClause:
    """The sources and relevance of the nearest passages of a corpus. Parameters `corpus_id`, `only` and `vector`, and
    those of the condition on documents.
    """
    of_active, _ = conditions(condition, "active.id")
    return text(NEAREST_OF_CORPUS.format(active=ACTIVE, of_active=of_active, **LIMITS))


@cache
def _indexed(dimension: int) -> TextClause:
    """Like `_nearest` without a condition, by the index; a source may have more than its share."""
    return text(INDEXED_OF_CORPUS.format(active=ACTIVE, indexed=indexed(dimension), dimension=dimension, **LIMITS))


@lru_cache(STATEMENTS)
def _matching(condition: str) -> TextClause:
    """The sources and relevance of passages with words of a question. Parameters as in `_nearest`."""
    (of_passage,) = conditions(condition)
    return text(MATCHING_OF_CORPUS.format(active=ACTIVE, of_passage=of_passage, **LIMITS))
