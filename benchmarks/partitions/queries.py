"""The statements that the partition benchmark compares, and their parameters.

NEAREST and its kin: top passages of one source by embedding. TOP_PASSAGES: hybrid, for many sources in one round
trip. CANDIDATES: the sources of a corpus that have a passage worth reading.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.partitions.corpus import Question
from benchmarks.partitions.layout import Connection

NEAREST = """
SELECT document_id, ordinal FROM passages WHERE source_id = %(source)s
ORDER BY embedding <=> %(vector)s::halfvec LIMIT 3
"""

NEAREST_OF_MANY = """
SELECT asked.source_id, near.* FROM unnest(%(sources)s::uuid[]) AS asked (source_id)
CROSS JOIN LATERAL (
    SELECT document_id, ordinal FROM passages WHERE passages.source_id = asked.source_id
    ORDER BY embedding <=> %(vector)s::halfvec LIMIT 3) AS near
"""

# Vectors: source by source through the covering key, never the heap. Text: only the rows that match. The LIMIT 1 keeps
# the planner, which cannot know how few are best, from joining them with a scan of the whole table.
TOP_PASSAGES = """
WITH vectors AS (
    SELECT asked.source_id, near.document_id, near.ordinal, row_number() OVER (
               PARTITION BY asked.source_id ORDER BY near.distance, near.document_id, near.ordinal) AS place
    FROM unnest(%(sources)s::uuid[]) AS asked (source_id)
    CROSS JOIN LATERAL (
        SELECT document_id, ordinal, embedding <=> %(vector)s::halfvec AS distance
        FROM passages WHERE passages.source_id = asked.source_id
        ORDER BY distance, document_id, ordinal LIMIT 30) AS near
), matches AS (
    SELECT source_id, document_id, ordinal, row_number() OVER (PARTITION BY source_id
               ORDER BY ts_rank(lexemes, %(query)s::tsquery) DESC, document_id, ordinal) AS place
    FROM passages WHERE source_id = ANY(%(sources)s::uuid[]) AND lexemes @@ %(query)s::tsquery
), fused AS (
    SELECT source_id, document_id, ordinal, sum(1.0::float8 / (60 + place)) AS score
    FROM (SELECT * FROM vectors UNION ALL SELECT * FROM matches WHERE place <= 30) AS ranked
    GROUP BY source_id, document_id, ordinal
), best AS (
    SELECT *, row_number() OVER (PARTITION BY source_id ORDER BY score DESC, document_id, ordinal) AS place FROM fused
)
SELECT best.source_id, best.document_id, best.ordinal, best.score, fetched.content FROM best
CROSS JOIN LATERAL (
    SELECT content FROM passages
    WHERE source_id = best.source_id AND document_id = best.document_id AND ordinal = best.ordinal LIMIT 1) AS fetched
WHERE best.place <= 3
"""

# The rival: one pass over the rows of each source, both rankings from the same rows.
TOP_PASSAGES_BY_ROWS = """
WITH best AS (
    SELECT asked.source_id, top.* FROM unnest(%(sources)s::uuid[]) AS asked (source_id)
    CROSS JOIN LATERAL (
        WITH compared AS MATERIALIZED (
            SELECT document_id, ordinal, embedding <=> %(vector)s::halfvec AS distance,
                   CASE WHEN lexemes @@ %(query)s::tsquery THEN ts_rank(lexemes, %(query)s::tsquery) END AS overlap
            FROM passages WHERE passages.source_id = asked.source_id
        ), ranked AS (
            SELECT document_id, ordinal, row_number() OVER (ORDER BY distance, document_id, ordinal) AS place
            FROM (SELECT * FROM compared ORDER BY distance, document_id, ordinal LIMIT 30) AS nearest
            UNION ALL
            SELECT document_id, ordinal, row_number() OVER (ORDER BY overlap DESC, document_id, ordinal)
            FROM (SELECT * FROM compared WHERE overlap IS NOT NULL
                  ORDER BY overlap DESC, document_id, ordinal LIMIT 30) AS matching
        )
        SELECT document_id, ordinal, sum(1.0::float8 / (60 + place)) AS score FROM ranked
        GROUP BY document_id, ordinal ORDER BY score DESC, document_id, ordinal LIMIT 3) AS top
)
SELECT best.source_id, best.document_id, best.ordinal, best.score, fetched.content FROM best
CROSS JOIN LATERAL (
    SELECT content FROM passages
    WHERE source_id = best.source_id AND document_id = best.document_id AND ordinal = best.ordinal LIMIT 1) AS fetched
"""

_CANDIDATES = """
WITH near AS MATERIALIZED ({near}), matching AS MATERIALIZED (
    SELECT passages.source_id, embedding <=> %(vector)s::halfvec AS distance
    FROM passages JOIN sources ON sources.id = passages.source_id
    WHERE sources.corpus_id = %(corpus)s AND lexemes @@ %(query)s::tsquery
    ORDER BY ts_rank(lexemes, %(query)s::tsquery) DESC, distance LIMIT 300
)
SELECT source_id, 1 - min(distance) AS relevance FROM (SELECT * FROM near UNION ALL SELECT * FROM matching) AS found
GROUP BY source_id ORDER BY relevance DESC, source_id
"""

# At most 10 passages a source count, so that one source cannot fill the list.
NEAR_BY_SOURCE = """
SELECT sources.id AS source_id, near.distance FROM sources
CROSS JOIN LATERAL (
    SELECT embedding <=> %(vector)s::halfvec AS distance FROM passages
    WHERE passages.source_id = sources.id ORDER BY distance LIMIT 10) AS near
WHERE sources.corpus_id = %(corpus)s ORDER BY near.distance LIMIT 300
"""

# The rival: one ordered scan of the table, by HNSW where there is one, else of every row.
NEAR_BY_TABLE = """
SELECT source_id, embedding <=> %(vector)s::halfvec AS distance FROM passages
WHERE corpus_id = %(corpus)s ORDER BY embedding <=> %(vector)s::halfvec LIMIT 300
"""

CANDIDATES = _CANDIDATES.format(near=NEAR_BY_SOURCE)
CANDIDATES_BY_TABLE = _CANDIDATES.format(near=NEAR_BY_TABLE)

FREQUENCIES = r"""
SELECT listed.lexeme, avg(listed.frequency)::float8 FROM pg_stats, unnest(
    most_common_elems::text::text[], most_common_elem_freqs) AS listed (lexeme, frequency)
WHERE schemaname = current_schema() AND tablename LIKE 'passages\_%' AND attname = 'lexemes'
  AND listed.lexeme IS NOT NULL GROUP BY listed.lexeme
"""

MATCH_BUDGET = 20_000


@dataclass(slots=True)
class QueryParameters:
    """Turns questions into parameters, with the lexeme frequencies of a table of `passages` rows."""

    connection: Connection
    passages: int
    frequencies: dict[str, float] = field(default_factory=dict)

    def load_frequencies(self) -> None:
        """Read the frequencies of the commonest lexemes; a lexeme not listed is rare."""
        self.frequencies = dict(self.connection.execute(FREQUENCIES).fetchall())

    def of(self, question: Question, *, every_lexeme: bool = False, **more: object) -> dict[str, object]:
        """The parameters of every statement of this module."""
        row = self.connection.execute(
            "SELECT tsvector_to_array(to_tsvector('english', %s))", (question.words,)
        ).fetchone()
        lexemes = list(row[0]) if row else []
        kept = lexemes if every_lexeme else self.affordable(lexemes)
        query = " | ".join("'" + lexeme.replace("'", "''") + "'" for lexeme in kept)
        return {"vector": question.vector, "query": query, **more}

    def affordable(self, lexemes: list[str]) -> list[str]:
        """The rarest lexemes whose matches together stay within the budget; the rarest in any case."""
        kept: list[str] = []
        matches = 0.0
        for lexeme in sorted(lexemes, key=lambda lexeme: (self.frequencies.get(lexeme, 0.0), lexeme)):
            matches += self.frequencies.get(lexeme, 0.0) * self.passages
            if kept and matches > MATCH_BUDGET:
                break
            kept.append(lexeme)
        return kept


def rows(connection: Connection, statement: str, parameters: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """All rows of a statement."""
    return connection.execute(statement, parameters).fetchall()


def planning_ms(connection: Connection, statement: str, parameters: Mapping[str, object]) -> float:
    """Milliseconds of planning, as EXPLAIN reports them."""
    row = connection.execute(f"EXPLAIN (SUMMARY, FORMAT json) {statement}", parameters).fetchone()
    return float(row[0][0]["Planning Time"]) if row else 0.0
