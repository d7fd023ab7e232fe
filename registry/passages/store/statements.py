"""The SQL of searches within sources and over a corpus."""

from functools import cache, lru_cache

from sqlalchemy import TextClause, text

from registry.viewers.store import VISIBLE_DOCUMENTS

# How deep both rankings of a source go before they are fused.
DEPTH = 30
# How many passages the search over a whole corpus looks at in each of its two rankings, and of one source at most.
CANDIDATE_PASSAGES = 300
PASSAGES_PER_CANDIDATE = 10
# Passages with two words of a question from which on those with one are not looked at. Of 2,273 sources worth reading
# for the questions of `benchmarks.web` 20, 50 and 100 miss none; benchmarks/notes/storage.md has what was compared.
ENOUGH_PAIRS = 50
# How many nearest passages the index is asked for, so that enough are left when a source has more than its share.
INDEXED_PASSAGES = 600

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
# Conditions that are kept as statements: those on metadata have as many forms as callers like.
STATEMENTS = 32

TOP_PASSAGES = """
    WITH nearest AS (
        SELECT asked.source_id, near.document_id, near.ordinal, FALSE AS named,
               row_number() OVER (PARTITION BY asked.source_id
                                  ORDER BY near.distance, near.document_id, near.ordinal) AS place
        FROM unnest(CAST(:sources AS uuid[])) AS asked (source_id)
        CROSS JOIN LATERAL ({near}) AS near
    ), matching AS (
        SELECT source_id, document_id, ordinal, lexemes @@ CAST(:subject AS tsquery) AS named,
               row_number() OVER (
                   PARTITION BY source_id
                   ORDER BY lexemes @@ CAST(:subject AS tsquery) DESC,
                            ts_rank(lexemes, CAST(:words AS tsquery)) DESC, document_id, ordinal
               ) AS place
        FROM passages
        WHERE source_id = ANY(CAST(:sources AS uuid[])) AND lexemes @@ CAST(:words AS tsquery) {of_passage}
    ), fused AS (
        SELECT source_id, document_id, ordinal, bool_or(named) AS named,
               sum(CAST(1.0 AS float8) / (60 + place)) AS score
        FROM (SELECT * FROM nearest UNION ALL SELECT * FROM matching WHERE place <= {depth}) AS rankings
        GROUP BY source_id, document_id, ordinal
    ), best AS (
        -- Passages that name what the question is about come first.
        SELECT *, row_number() OVER (
                   PARTITION BY source_id ORDER BY named DESC, score DESC, document_id, ordinal
               ) AS place
        FROM fused
    )
    SELECT best.source_id, best.document_id, best.ordinal, passage.start_offset, passage.end_offset,
           passage.content, best.score, 1 - (passage.embedding <=> CAST(:vector AS halfvec)) AS similarity,
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
"""

# The nearest passages of one source: all its distances are computed, or the index was read in its order before, in a
# statement of its own: what makes PostgreSQL read it so would have it search for words without their index.
NEAR_EXACTLY = """
    SELECT document_id, ordinal, embedding <=> CAST(:vector AS halfvec) AS distance
    FROM passages WHERE source_id = asked.source_id {of_asked}
    ORDER BY distance, document_id, ordinal LIMIT {depth}
"""
NEAREST_OF_SOURCES = """
    SELECT asked.source_id, near.document_id, near.ordinal, near.distance
    FROM unnest(CAST(:sources AS uuid[])) AS asked (source_id)
    CROSS JOIN LATERAL (
        SELECT document_id, ordinal, {indexed} <=> CAST(:vector AS halfvec({dimension})) AS distance
        FROM passages WHERE source_id = asked.source_id
        ORDER BY distance LIMIT {depth}
    ) AS near
"""
NEAR_AS_FOUND = """
    SELECT document_id, ordinal, distance
    FROM unnest(CAST(:near_sources AS uuid[]), CAST(:near_documents AS uuid[]), CAST(:near_ordinals AS int[]),
                CAST(:near_distances AS float8[])) AS found (source_id, document_id, ordinal, distance)
    WHERE source_id = asked.source_id
"""

# One row a partition. While an index is replaced by one with more lists there are two.
PARTITIONS = text(
    r"""
    SELECT partition.oid AS partition, partition.relname AS name, greatest(partition.reltuples, 0) AS passages,
           min((SELECT CAST(option_value AS int) FROM pg_options_to_table(index.reloptions)
                WHERE option_name = 'lists')) FILTER (WHERE pg_index.indisvalid) AS lists
    FROM pg_inherits
    JOIN pg_class AS partition ON partition.oid = inhrelid
    LEFT JOIN pg_index ON indrelid = partition.oid
    LEFT JOIN pg_class AS index ON index.oid = indexrelid AND index.relname LIKE '%\_vectors\_%'
    WHERE inhparent = CAST('passages' AS regclass)
    GROUP BY partition.oid, partition.relname, partition.reltuples
    ORDER BY partition.relname
    """
)
SAMPLE = text(
    """
    SELECT sample.source_id, sample.partition, sample.passages, sources.corpus_id, sources.status = 'active' AS active
    FROM (SELECT source_id, tableoid AS partition, count(*) AS passages
          FROM passages TABLESAMPLE SYSTEM (:percent) GROUP BY source_id, tableoid) AS sample
    JOIN sources ON sources.id = sample.source_id
    """
)
# Sorting instead of reading the index in its order would be planned where statistics are missing.
BEGIN_SEARCH = text(
    """
    SELECT set_config('ivfflat.probes', :probes, true), set_config('ivfflat.iterative_scan', 'relaxed_order', true),
           set_config('enable_sort', 'off', true)
    """
)
END_SEARCH = text("SELECT set_config('enable_sort', 'on', true)")

ACTIVE = """
    active AS MATERIALIZED (
        SELECT id FROM sources WHERE corpus_id = :corpus_id AND status = 'active'
            AND (CAST(:only AS uuid[]) IS NULL OR id = ANY(CAST(:only AS uuid[])))
    )
"""

# The nearest passages of a corpus, at most some of each source: all distances are computed, or the index is read.
NEAREST_OF_CORPUS = """
    WITH {active}
    SELECT active.id AS source_id, near.distance
    FROM active CROSS JOIN LATERAL (
        SELECT embedding <=> CAST(:vector AS halfvec) AS distance
        FROM passages WHERE source_id = active.id {of_active} ORDER BY distance LIMIT {passages_per_candidate}
    ) AS near
    ORDER BY near.distance, active.id LIMIT {candidate_passages}
"""
INDEXED_OF_CORPUS = """
    WITH {active}
    SELECT source_id, {indexed} <=> CAST(:vector AS halfvec({dimension})) AS distance
    FROM passages
    -- With `IS TRUE` it is no join, which would be free to change the order of the index.
    WHERE (source_id IN (SELECT id FROM active)) IS TRUE
    ORDER BY distance LIMIT {indexed_passages}
"""

# Passages with one of the words only, which are many, are not read where enough hold two, which rank higher.
MATCHING_OF_CORPUS = """
    WITH {active}, pairs AS MATERIALIZED (
        SELECT source_id, embedding <=> CAST(:vector AS halfvec) AS distance
        FROM passages JOIN active ON active.id = source_id
        WHERE lexemes @@ CAST(:pairs AS tsquery) {of_passage}
        ORDER BY ts_rank(lexemes, CAST(:words AS tsquery)) DESC, source_id, document_id, ordinal
        LIMIT {candidate_passages}
    )
    SELECT * FROM pairs
    UNION ALL
    (SELECT source_id, embedding <=> CAST(:vector AS halfvec)
     FROM passages JOIN active ON active.id = source_id
     WHERE lexemes @@ CAST(:words AS tsquery) AND (SELECT count(*) FROM pairs) < {enough_pairs} {of_passage}
     ORDER BY ts_rank(lexemes, CAST(:words AS tsquery)) DESC, source_id, document_id, ordinal
     LIMIT {candidate_passages})
"""


def indexed(dimension: int) -> str:
    """The indexed expression. The column has no dimension, which an index needs; an exact search, which does not name
    this expression, can never be planned with the index.
    """
    return f"(CAST(embedding AS halfvec({dimension})))"


@lru_cache(STATEMENTS)
def top_passages(condition: str) -> TextClause:
    """Parameters `sources`, `vector`, `words`, `subject`, `k`, and those of the condition on documents."""
    of_asked, of_passage = conditions(condition, "asked.source_id")
    near = NEAR_EXACTLY.format(of_asked=of_asked, depth=DEPTH)
    return text(TOP_PASSAGES.format(near=near, of_passage=of_passage, depth=DEPTH))


@cache
def nearest_of_sources(dimension: int) -> TextClause:
    """The nearest passages of sources so large that the index pays. Parameters `sources` and `vector`."""
    return text(NEAREST_OF_SOURCES.format(indexed=indexed(dimension), dimension=dimension, depth=DEPTH))


@cache
def top_passages_of_found() -> TextClause:
    """Like `top_passages`, with the columns of what `nearest_of_sources` found as `near_sources`, `near_documents`,
    `near_ordinals` and `near_distances`.
    """
    return text(TOP_PASSAGES.format(near=NEAR_AS_FOUND, of_passage=ANY_DOCUMENT, depth=DEPTH))


@lru_cache(STATEMENTS)
def nearest_of_corpus(condition: str) -> TextClause:
    """The sources and distances of the nearest passages of a corpus. Parameters `corpus_id`, `only` and `vector`, and
    those of the condition on documents.
    """
    of_active, _ = conditions(condition, "active.id")
    return text(NEAREST_OF_CORPUS.format(active=ACTIVE, of_active=of_active, **LIMITS))


@cache
def indexed_of_corpus(dimension: int) -> TextClause:
    """Like `nearest_of_corpus` without a condition, by the index; a source may have more than its share."""
    return text(INDEXED_OF_CORPUS.format(active=ACTIVE, indexed=indexed(dimension), dimension=dimension, **LIMITS))


@lru_cache(STATEMENTS)
def matching_of_corpus(condition: str) -> TextClause:
    """The sources and distances of passages with words of a question. Parameters as in `nearest_of_corpus`."""
    (of_passage,) = conditions(condition)
    return text(MATCHING_OF_CORPUS.format(active=ACTIVE, of_passage=of_passage, **LIMITS))


LIMITS = {
    "passages_per_candidate": PASSAGES_PER_CANDIDATE,
    "candidate_passages": CANDIDATE_PASSAGES,
    "enough_pairs": ENOUGH_PAIRS,
    "indexed_passages": INDEXED_PASSAGES,
}


def conditions(condition: str, *owners: str) -> list[str]:
    """The condition on the documents of passages of each of these sources, and last on those of any passage."""
    return [condition.format(source_id=owner) for owner in (*owners, "passages.source_id")]
