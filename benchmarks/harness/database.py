"""A database with synthetic sources for benchmarks of the service: real schema and indexes, invented text.

Words are drawn from a Zipf distribution over 50,000 invented words and embeddings from a mixture of 500 topics, so
that both rankings have something to rank. Nothing of it is read by a model.
"""

import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import MappingProxyType
from uuid import UUID

import numpy as np
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql
from sqlalchemy.engine import URL, make_url
from uuid_utils.compat import uuid7

from answering.embedders import Embedder
from answering.readers import Reader
from migrations import control
from registry.platform.database import embedded
from registry.platform.database.engine import libpq_url
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime

DIMENSION = 256
TOPICS = 500
WORDS_A_PASSAGE = 60


@contextmanager
def temporary_server(settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[tuple[URL, Path]]:
    """The URL and folder of an embedded server with the newest schema, removed at the end; `settings` of Postgres."""
    with tempfile.TemporaryDirectory(prefix="credence-benchmark-") as folder:
        path = Path(folder)
        if settings:
            with psycopg.connect(embedded.start(path), autocommit=True) as connection:
                for name, value in settings.items():
                    connection.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), value))
            embedded.stop(path)
        url = make_url(embedded.start(path)).set(drivername="postgresql+psycopg")
        try:
            control.upgrade(url)
            yield url, path
        finally:
            embedded.stop(path)


@asynccontextmanager
async def opened(
    url: URL, reader: Reader, embedder: Embedder | None = None, /, **settings: object
) -> AsyncIterator[Runtime]:
    """The runtime on that database."""
    values = {"database_url": libpq_url(url), **settings}
    async with open_runtime(
        Settings.model_validate(values), check_schema=control.check_schema, reader=reader, embedder=embedder
    ) as runtime:
        yield runtime


def vocabulary(size: int = 50_000) -> list[str]:
    """Pronounceable words that a stemmer keeps apart."""
    consonants, vowels = "bcdfghklmnprtvz", "aeiou"
    syllables = [consonant + vowel for consonant in consonants for vowel in vowels]
    base = len(syllables)
    return [
        syllables[word // base // base % base] + syllables[word // base % base] + syllables[word % base] + "k"
        for word in range(size)
    ]


def fill(url: URL, *, sources: int, passages_each: int, seed: int = 1) -> list[UUID]:
    """Insert sources of one document each, split into passages; returns the ids of the sources."""
    generator = np.random.default_rng(seed)
    words = np.array(vocabulary())
    topics = generator.normal(size=(TOPICS, DIMENSION)).astype(np.float32)
    source_ids = [uuid7() for _ in range(sources)]
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        register_vector(connection)
        corpus_id = _scalar(connection, "SELECT id FROM corpora WHERE name = 'default'")
        for number, source_id in enumerate(source_ids):
            _fill_source(connection, corpus_id, source_id, number, passages_each, words, topics, generator)
        connection.execute(
            "INSERT INTO embedding_space (single, embedder, dimension) VALUES (true, 'wordllama:l2_supercat:256', 256)"
            " ON CONFLICT DO NOTHING"
        )
        connection.execute("VACUUM ANALYZE")
    return source_ids


def _fill_source(  # noqa: PLR0917  (a loop's body with a name)
    connection: psycopg.Connection[tuple[object, ...]],
    corpus_id: object,
    source_id: UUID,
    number: int,
    count: int,
    words: np.ndarray[tuple[int], np.dtype[np.str_]],
    topics: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    generator: np.random.Generator,
) -> None:
    document_id = uuid7()
    texts = passage_texts(words, count, generator)
    vectors = topics[generator.integers(0, TOPICS, count)] + generator.normal(0, 0.7, (count, DIMENSION))
    with connection.transaction():
        connection.execute(
            "INSERT INTO sources (id, corpus_id, external_id, name, description, attributes, status)"
            " VALUES (%s, %s, %s, %s, '', '{}', 'active')",
            (source_id, corpus_id, f"source-{number}", f"Source {number}"),
        )
        connection.execute(
            "INSERT INTO documents (id, source_id, external_id, title, media_type, content, content_hash, attributes)"
            " VALUES (%s, %s, 'all', 'All', 'text/plain', '', '', '{}')",
            (document_id, source_id),
        )
        rows = [(text, HalfVector(vector)) for text, vector in zip(texts, vectors, strict=True)]
        connection.cursor(binary=True).execute(
            "INSERT INTO passages (source_id, document_id, ordinal, start_offset, end_offset, content,"
            " embedding, lexemes) SELECT %s, %s, row_number() OVER (), 0, length(content), content, embedding,"
            " to_tsvector('english', content) FROM unnest(%s::text[], %s::halfvec[]) AS given (content, embedding)",
            (source_id, document_id, [row[0] for row in rows], [row[1] for row in rows]),
        )


def passage_texts(
    words: np.ndarray[tuple[int], np.dtype[np.str_]], count: int, generator: np.random.Generator
) -> list[str]:
    """Passages of `WORDS_A_PASSAGE` words with Zipf frequencies."""
    drawn = np.minimum(generator.zipf(1.15, (count, WORDS_A_PASSAGE)) - 1, len(words) - 1)
    return [" ".join(row) for row in words[drawn]]


def _scalar(connection: psycopg.Connection[tuple[object, ...]], statement: str) -> object:
    row = connection.execute(statement).fetchone()
    if row is None:
        raise LookupError(statement)
    return row[0]
