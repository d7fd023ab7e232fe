"""A corpus of any size in the real schema, with questions about it: text and embeddings that agree on topics.

Embeddings are clustered as those of real texts are, themes over topics over documents. A tenth of the
documents is of one large source, the others go round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import psycopg
from sqlalchemy.engine import URL

from answering.embedders import Vectors, WordLlamaEmbedder
from benchmarks.harness import progress
from benchmarks.questions.passages import DIMENSION, PASSAGES_A_DOCUMENT, PassageGenerator, Question
from registry.platform.database.engine import libpq_url

SEED = 1
# Passages that are generated and written at once; what is generated lies on disk beside what is written.
PART = 1_000_000
RAW = "CREATE UNLOGGED TABLE generated (number int, content text, embedding halfvec)"
SOURCES = """
    INSERT INTO sources (id, corpus_id, external_id, name, description, attributes, status)
    SELECT gen_random_uuid(), corpora.id, number, 'Source ' || number, '', '{}', 'active'
    FROM corpora, generate_series(0, %(sources)s - 1) AS number WHERE corpora.name = 'default'
"""
DOCUMENTS = """
    INSERT INTO documents (id, source_id, external_id, title, media_type, content, content_hash, attributes)
    SELECT gen_random_uuid(), sources.id, number, '', 'text/plain', '', '', '{}'
    FROM generate_series(0, %(documents)s - 1) AS number
    JOIN sources ON sources.external_id = CAST(
        CASE WHEN number %% 10 = 0 THEN 0 ELSE CAST(number AS bigint) * 7919 %% %(sources)s END AS text)
"""
PASSAGES = """
    INSERT INTO passages (source_id, document_id, ordinal, start_offset, end_offset, content, embedding, lexemes)
    SELECT documents.source_id, documents.id, generated.number %% %(each)s, 0, length(generated.content),
           generated.content, generated.embedding, to_tsvector('english', generated.content)
    FROM generated JOIN documents ON documents.external_id = CAST(generated.number / %(each)s AS text)
"""
SPACE = "INSERT INTO embedding_space (single, embedder, dimension) VALUES (true, %(embedder)s, %(dimension)s)"


@dataclass(frozen=True, slots=True)
class QuestionEmbedder:
    """Gives the generated questions their generated embeddings, under the name of the default embedder."""

    vectors: Mapping[str, Vectors]
    name: str = WordLlamaEmbedder.name
    dimension: int = DIMENSION

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:  # noqa: ARG002
        """The embeddings of questions."""
        return np.stack([self.vectors[text] for text in texts])

    async def aclose(self) -> None:
        """Nothing is open."""


def embedder_of(questions: Sequence[Question]) -> QuestionEmbedder:
    """An embedder that knows these questions."""
    return QuestionEmbedder({question.words: vector_of(question) for question in questions})


def vector_of(question: Question) -> Vectors:
    """The embedding of a question."""
    return np.array(question.vector[1:-1].split(","), dtype=np.float32)


def fill(url: URL, *, passages: int, sources: int, questions: int) -> tuple[UUID, list[Question]]:
    """Insert passages into the default corpus; returns the large source, and questions about the passages."""
    generator = PassageGenerator(seed=SEED)
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        counts = {"sources": sources, "documents": -(-passages // PASSAGES_A_DOCUMENT), "each": PASSAGES_A_DOCUMENT}
        for statement in (RAW, SOURCES, DOCUMENTS):
            connection.execute(statement.encode(), counts)
        connection.execute("ANALYZE documents")
        for first in range(0, passages, PART):
            with connection.cursor() as cursor, cursor.copy("COPY generated FROM STDIN (FORMAT binary)") as copy:
                for block in generator.passages(min(PART, passages - first), first):
                    copy.write(block)
            connection.execute(PASSAGES.encode(), counts)
            connection.execute("TRUNCATE generated")
            progress(f"{min(first + PART, passages):,} of {passages:,} passages written")
        connection.execute("DROP TABLE generated")
        connection.execute(SPACE, {"embedder": QuestionEmbedder({}).name, "dimension": DIMENSION})
        connection.execute("VACUUM ANALYZE")
        row = connection.execute("SELECT id FROM sources WHERE external_id = '0'").fetchone()
        if row is None:
            raise LookupError("the large source")
    return row[0], generator.questions(questions)
