"""Writes passages, with COPY, and the values that documents state."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper
from psycopg import AsyncConnection
from psycopg.types import TypeInfo
from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Embedder
from answering.text import squad_normalise
from answering.text.bigrams import with_bigrams
from registry.corpora.model import Corpus
from registry.documents.model import EmbeddingSpace
from registry.documents.value_schemas import StatedValueInput
from registry.platform.database.engine import driver_connection
from registry.platform.errors import Conflict

# COPY cannot call functions: it fills a temporary table, from which INSERT makes the lexemes. Measured at 2.6 times the
# speed of arrays in an INSERT (`python -m benchmarks.ingest`).
STAGED_COLUMNS = {
    "source_id": "uuid",
    "document_id": "uuid",
    "ordinal": "int4",
    "start_offset": "int4",
    "end_offset": "int4",
    "content": "text",
    "heading": "text",
    "above": "text",
    "words": "text",
    "embedding": "halfvec",
    "signature": "bytea",
}
STAGED_TYPES = tuple(STAGED_COLUMNS.values())
# The connections of a pooler, and with them the table, outlive a process: with other columns it has another name.
STAGED = f"staged_passages_{crc32(repr(STAGED_COLUMNS).encode()):08x}"
STAGING = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS {STAGED} ({", ".join(" ".join(column) for column in STAGED_COLUMNS.items())})
    ON COMMIT DELETE ROWS
"""
COPY_STAGED = f"COPY {STAGED} FROM STDIN (FORMAT binary)"
# The words of the title and the headings count more than those of the text, which need not name what it is about.
# to_tsvector fails for a word of 2 KB and for 1 MB of lexemes; passages stay far below both.
INSERT_STAGED = f"""
    INSERT INTO passages
           (source_id, lexemes, document_id, ordinal, start_offset, end_offset, content, heading, embedding, signature)
    SELECT source_id,
           setweight(to_tsvector(language, above), 'A') || to_tsvector(language, coalesce(words, content)),
           document_id, ordinal, start_offset, end_offset, content, heading, embedding, signature
    FROM {STAGED}, CAST(%s AS regconfig) AS language
"""  # noqa: S608  (our own words)

# An index row holds 2,704 bytes. Longer embeddings are left out of the primary key, before there is a row, and read
# from the table, at a fifth of the speed.
MAX_KEY_DIMENSION = 1300
LONG_EMBEDDINGS = (
    "ALTER TABLE passages DROP CONSTRAINT passages_pkey",
    "ALTER TABLE passages ADD CONSTRAINT passages_pkey PRIMARY KEY (source_id, document_id, ordinal)",
    "ALTER TABLE passages ALTER embedding SET STORAGE EXTERNAL",
)


class PassageRow(NamedTuple):
    """A passage of a document; offsets count characters of the document's text."""

    source_id: UUID
    document_id: UUID
    ordinal: int
    start_offset: int
    end_offset: int
    content: str
    heading: str
    title: str
    """Title of the document, stored with the passage and among the words by which it is found."""
    embedding: NDArray[np.float32]
    signature: bytes | None


async def register_embedding_space(session: AsyncSession, embedder: Embedder) -> None:
    """Store which embedder makes the embeddings, the first time; raises `Conflict` if another one made them."""
    fields = {"single": True, "embedder": embedder.name, "dimension": embedder.dimension}
    statement = insert(EmbeddingSpace).values(fields).on_conflict_do_nothing().returning(EmbeddingSpace.single)
    is_first = await session.scalar(statement)
    if is_first and embedder.dimension > MAX_KEY_DIMENSION:
        for alteration in LONG_EMBEDDINGS:
            await session.execute(text(alteration))
    space = (await session.scalars(select(EmbeddingSpace))).one()
    if (space.embedder, space.dimension) != (embedder.name, embedder.dimension):
        raise Conflict(
            f"The passages of this database were embedded by {space.embedder}, not by {embedder.name}. Set "
            "CREDENCE_EMBEDDER and CREDENCE_EMBEDDING_MODEL as they were, or embed them anew: `credence embed`."
        )


async def insert_passages(session: AsyncSession, corpus: Corpus, passages: Iterable[PassageRow]) -> None:
    connection = await driver_connection(session)
    await _register_halfvec(connection)
    async with connection.cursor() as cursor:
        await cursor.execute(STAGING)
        async with cursor.copy(COPY_STAGED) as copy:
            copy.set_types(STAGED_TYPES)
            for passage in passages:
                await copy.write_row(_staged(passage))
        await cursor.execute(INSERT_STAGED, (corpus.text_search,))


def _staged(passage: PassageRow) -> tuple[object, ...]:
    """The values of `STAGED_COLUMNS`: what stands above the passage, and its words where they are not its text."""
    above, words = with_bigrams(f"{passage.title} {passage.heading}"), with_bigrams(passage.content)
    texts = (above, None if words == passage.content else words)
    return (*passage[:7], *texts, HalfVector(passage.embedding), passage.signature)


async def _register_halfvec(connection: AsyncConnection[Any]) -> None:
    """Let a connection write embeddings, once."""
    if connection.adapters.types.get("halfvec") is None:
        halfvec = await TypeInfo.fetch(connection, "halfvec")
        assert halfvec is not None  # noqa: S101  (the passages have a column of it)
        halfvec.register(connection)
        connection.adapters.register_dumper(HalfVector, _dumper_of(halfvec.oid))


@cache
def _dumper_of(oid: int) -> type[HalfVectorBinaryDumper]:
    """The dumper for a type with this identifier. There is one: psycopg never forgets a class that it was handed."""
    return type("HalfVectorDumper", (HalfVectorBinaryDumper,), {"oid": oid})


MAX_KEY_CHARACTERS = 200
INSERT = text(
    """
    INSERT INTO stated_values (corpus_id, source_id, document_id, ordinal, subject, subject_key, relation, value)
    SELECT :corpus_id, * FROM unnest(
        CAST(:source_id AS uuid[]), CAST(:document_id AS uuid[]), CAST(:ordinal AS int[]), CAST(:subject AS text[]),
        CAST(:subject_key AS text[]), CAST(:relation AS text[]), CAST(:value AS text[])
    )
    """
)


def subject_key(subject: str) -> str:
    """The common key of the names of one subject: no case, punctuation or articles; long ones end in a hash."""
    key = squad_normalise(subject) or subject.casefold()
    if len(key) <= MAX_KEY_CHARACTERS:
        return key
    return f"{key[: MAX_KEY_CHARACTERS - 33]}#{hashlib.sha256(key.encode()).hexdigest()[:32]}"


async def insert_values(
    session: AsyncSession, corpus: Corpus, stated: Mapping[tuple[UUID, UUID], Sequence[StatedValueInput]]
) -> set[tuple[str, str]]:
    """Insert the values of new or replaced documents, given by source and document; returns the keys of the subjects
    and the relations that they are about.
    """
    rows = [
        (source_id, document_id, ordinal, value.subject, subject_key(value.subject), value.relation, value.value)
        for (source_id, document_id), values in stated.items()
        for ordinal, value in enumerate(values)
    ]
    if not rows:
        return set()
    names = ("source_id", "document_id", "ordinal", "subject", "subject_key", "relation", "value")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    await session.execute(INSERT, {"corpus_id": corpus.id, **columns})
    return {(key, relation) for _, _, _, _, key, relation, _ in rows}
