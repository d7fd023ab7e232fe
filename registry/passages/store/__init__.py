"""Search within sources; `candidates` searches over a corpus.

Ranking is hybrid: of the passages that full text finds (any word of the question) and those with the nearest
embeddings, by their relevance. Passages with all words of the names in the question, in their text, headings or title,
come before all others, since those on a neighbour of what is asked resemble the question as much. It is exact, in a
time that grows with the size of what is searched, but where reading the approximate index of all embeddings is better.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Vector
from answering.passages import RetrievedPassage
from answering.questions.asked_period import AskedPeriod
from registry.corpora.model import Corpus
from registry.passages.schemas import ALL_PASSAGES, EvidenceFilter, PassageFilter
from registry.passages.store.indexes import VectorIndex, Words, indexed, searching, vector_index, words_of
from registry.passages.store.metadata import metadata_condition, metadata_parameters
from registry.sources import store as sources
from registry.viewers.model import Viewer
from registry.viewers.store import VISIBLE_DOCUMENTS, searching_viewer

# Sources searched by one statement; more are searched by several, so that none takes long.
SOURCES_PER_STATEMENT = 500
# How many passages of a source either search finds.
DEPTH = 30
# Conditions that are kept as statements: those on metadata have as many forms as callers like.
STATEMENTS = 32

# The condition on passages of documents that were published in a period.
PUBLISHED = """
    AND document_id IN (
        SELECT id FROM documents WHERE source_id = {source_id}
            AND (published_at >= CAST(:published_from AS timestamptz) OR (:undated AND published_at IS NULL))
            AND (published_at < CAST(:published_before AS timestamptz) OR (:undated AND published_at IS NULL))
    )
"""
ANY_OF_PERIOD = text(
    """
    SELECT EXISTS (
        SELECT FROM sources JOIN documents ON documents.source_id = sources.id
        WHERE sources.corpus_id = :corpus_id AND sources.status = 'active'
            AND documents.published_at >= :start AND documents.published_at < :end
    )
    """
)
# The condition on those of documents that were not stored or replaced after a time.
STORED = """
    AND document_id IN (
        SELECT id FROM documents WHERE source_id = {source_id} AND updated_at <= CAST(:stored_until AS timestamptz)
    )
"""
# The condition on those of documents that are named.
NAMED = """
    AND document_id IN (
        SELECT id FROM documents WHERE source_id = {source_id} AND external_id = ANY (CAST(:documents AS text[]))
    )
"""
# The condition on those of documents that a viewer sees.
VISIBLE = f"""
    AND document_id IN ({VISIBLE_DOCUMENTS})
"""
ANY_DOCUMENT = ""

# Relevance is cosine similarity, and for this share the part of a question's words that a passage has, with its title
# and headings: a convex combination (Bruch, Gai and Ingber 2023, doi:10.1145/3596512). Half and double of it
# find less on the whole, as does reciprocal rank fusion (benchmarks/notes/storage.md).
WORDS_SHARE = 0.4


def relevance_to(vector: str, words: str) -> str:
    """The relevance of a row of passages, in SQL, to a text with this embedding and these lexemes, an array."""
    shared = f"CAST(length(lexemes) - length(ts_delete(lexemes, {words})) AS float8)"
    cosine, share = f"1 - (embedding <=> {vector})", f"{shared} / greatest(cardinality({words}), 1)"
    # Neither is above 1, and so is not their sum, whichever way it is rounded.
    return f"CAST({1 - WORDS_SHARE} AS float8) * ({cosine}) + CAST({WORDS_SHARE} AS float8) * ({share})"


RELEVANCE = relevance_to("CAST(:vector AS halfvec)", "CAST(:lexemes AS text[])")

TOP_PASSAGES = f"""
    WITH nearest AS (
        SELECT asked.source_id, near.document_id, near.ordinal
        FROM unnest(CAST(:sources AS uuid[])) AS asked (source_id)
        CROSS JOIN LATERAL ({{near}}) AS near
    ), matching AS (
        SELECT source_id, document_id, ordinal,
               row_number() OVER (
                   PARTITION BY source_id
                   ORDER BY lexemes @@ CAST(:subject AS tsquery) DESC,
                            ts_rank(lexemes, CAST(:words AS tsquery)) DESC, document_id, ordinal
               ) AS place
        FROM passages
        WHERE source_id = ANY(CAST(:sources AS uuid[])) AND lexemes @@ CAST(:words AS tsquery) {{of_passage}}
    ), found AS (
        SELECT * FROM nearest
        UNION
        SELECT source_id, document_id, ordinal FROM matching WHERE place <= {{depth}}
    ), best AS (
        -- Passages that name what the question is about come first.
        SELECT found.*, relevance, row_number() OVER (
                   PARTITION BY source_id ORDER BY named DESC, relevance DESC, document_id, ordinal
               ) AS place
        FROM found
        CROSS JOIN LATERAL (
            SELECT lexemes @@ CAST(:subject AS tsquery) AS named, {RELEVANCE} AS relevance FROM passages
            WHERE source_id = found.source_id AND document_id = found.document_id AND ordinal = found.ordinal LIMIT 1
        ) AS measured
    )
    SELECT best.source_id, best.document_id, best.ordinal, passage.start_offset, passage.end_offset,
           passage.content, greatest(best.relevance, 0),
           document.title, document.published_at, document.external_id, document.updated_at, document.url,
           passage.heading, document.revision
    FROM best
    -- One by one: as plain joins these would be planned as scans of all passages and all documents.
    CROSS JOIN LATERAL (
        SELECT * FROM passages
        WHERE source_id = best.source_id AND document_id = best.document_id AND ordinal = best.ordinal LIMIT 1
    ) AS passage
    CROSS JOIN LATERAL (SELECT * FROM documents WHERE id = best.document_id LIMIT 1) AS document
    WHERE best.place <= :k
    ORDER BY best.source_id, best.place
"""  # noqa: S608  (our own words)

# The nearest passages of one source: all its distances are computed, or the index was read in its order before, in a
# statement of its own: what makes PostgreSQL read it so would have it search for words without their index.
NEAR_EXACTLY = """
    SELECT document_id, ordinal, embedding <=> CAST(:vector AS halfvec) AS distance
    FROM passages WHERE source_id = asked.source_id {of_asked}
    ORDER BY distance, document_id, ordinal LIMIT {depth}
"""
NEAREST_OF_SOURCES = """
    SELECT asked.source_id, near.document_id, near.ordinal
    FROM unnest(CAST(:sources AS uuid[])) AS asked (source_id)
    CROSS JOIN LATERAL (
        SELECT document_id, ordinal, {indexed} <=> CAST(:vector AS halfvec({dimension})) AS distance
        FROM passages WHERE source_id = asked.source_id
        ORDER BY distance LIMIT {depth}
    ) AS near
"""
NEAR_AS_FOUND = """
    SELECT document_id, ordinal
    FROM unnest(CAST(:near_sources AS uuid[]), CAST(:near_documents AS uuid[]), CAST(:near_ordinals AS int[]))
        AS found (source_id, document_id, ordinal)
    WHERE source_id = asked.source_id
"""


async def passage_filter(
    session: AsyncSession, corpus: Corpus, values: EvidenceFilter, viewer: Viewer
) -> PassageFilter:
    """The restriction of a question or search, with the ids of its sources; raises what `sources.find` raises."""
    viewer = await searching_viewer(session, corpus, viewer)
    source_ids = None if values.sources is None else await sources.find_ids(session, corpus, values.sources)
    return PassageFilter(
        source_ids, values.published_from, values.published_before, documents=values.documents, viewer=viewer
    )


async def within_period(
    session: AsyncSession, corpus: Corpus, period: AskedPeriod | None, where: PassageFilter
) -> PassageFilter:
    """`where`, without documents of another time than a question asks about, if some are of that time."""
    if period is None or where.published_from is not None or where.published_before is not None:
        return where
    asked = {"corpus_id": corpus.id, "start": period.start, "end": period.end}
    return where.within(period) if await session.scalar(ANY_OF_PERIOD, asked) else where


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
    parameters = search_parameters(words, vector, where) | {"k": k}
    index = await index_for(session, where)
    large = {source_id: lists for source_id in passages if (lists := index and index.probes_of_source(source_id))}

    async def search(statement: TextClause, asked: Sequence[UUID], **found: object) -> None:
        for row in await session.execute(statement, parameters | found | {"sources": asked}):
            passages[row.source_id].append(RetrievedPassage(*row))

    if large:
        nearest = _nearest(len(vector))
        async with searching(session, max(large.values())):
            rows = (await session.execute(nearest, parameters | {"sources": list(large)})).all()
        columns = ("near_sources", "near_documents", "near_ordinals")
        found = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
        await search(_best_of_found(), list(large), **found)
    others = [source_id for source_id in passages if source_id not in large]
    for start in range(0, len(others), SOURCES_PER_STATEMENT):
        exactly = _best(documents_condition(where))
        await search(exactly, others[start : start + SOURCES_PER_STATEMENT])
    return passages


async def index_for(session: AsyncSession, where: PassageFilter) -> VectorIndex | None:
    """The index of embeddings, if there is one; documents that a condition holds for may be few among those in it."""
    return None if documents_condition(where) else await vector_index(session)


def documents_condition(where: PassageFilter) -> str:
    """The condition on the documents of passages, with `{source_id}` for their source; empty if all of them count."""
    dated = where.published_from is not None or where.published_before is not None
    stored, named = where.stored_until is not None, where.documents is not None
    of_metadata = metadata_condition(where.metadata) if where.metadata is not None else ""
    own = PUBLISHED * dated + STORED * stored + NAMED * named
    return own + of_metadata + VISIBLE * (not where.viewer.sees_all)


def documents_parameters(where: PassageFilter) -> dict[str, object]:
    """The parameters of `documents_condition`."""
    start, end, stored = where.published_from, where.published_before, where.stored_until
    return {
        "published_from": start.isoformat() if start else "-infinity",
        "published_before": end.isoformat() if end else "infinity",
        "undated": where.undated,
        "stored_until": stored.isoformat() if stored else "infinity",
        "documents": None if where.documents is None else list(where.documents),
        **(metadata_parameters(where.metadata) if where.metadata is not None else {}),
        "groups": where.viewer.stored,
    }


def search_parameters(words: Words, vector: Vector, where: PassageFilter) -> dict[str, object]:
    """Parameters of every statement that searches passages."""
    return {
        "vector": HalfVector(vector).to_text(),
        "words": words.any,
        "lexemes": list(words.lexemes),
        "subject": words.all_of_subject,
        **documents_parameters(where),
    }


@lru_cache(STATEMENTS)
def _best(condition: str) -> TextClause:
    """Parameters `sources`, `vector`, `words`, `subject`, `k`, and those of the condition on documents."""
    of_asked, of_passage = conditions(condition, "asked.source_id")
    near = NEAR_EXACTLY.format(of_asked=of_asked, depth=DEPTH)
    return text(TOP_PASSAGES.format(near=near, of_passage=of_passage, depth=DEPTH))


@cache
def _nearest(dimension: int) -> TextClause:
    """The nearest passages of sources so large that the index pays. Parameters `sources` and `vector`."""
    return text(NEAREST_OF_SOURCES.format(indexed=indexed(dimension), dimension=dimension, depth=DEPTH))


@cache
def _best_of_found() -> TextClause:
    """Like `_best`, with what `_nearest` found as `near_sources`, `near_documents` and `near_ordinals`."""
    return text(TOP_PASSAGES.format(near=NEAR_AS_FOUND, of_passage=ANY_DOCUMENT, depth=DEPTH))


def conditions(condition: str, *owners: str) -> list[str]:
    """The condition on the documents of passages of each of these sources, and last on those of any passage."""
    return [condition.format(source_id=owner) for owner in (*owners, "passages.source_id")]
