"""The SQL of ingest: look up what is there, replace what changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pgvector import HalfVector
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection
from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Embedder
from registry.errors import Conflict
from registry.ingest.preparation import Prepared
from registry.models import Corpus, Document, EmbeddingSpace, Passage

# COPY cannot call functions: it fills a table of this connection's own, whose rows move on with their lexemes. Measured
# at 2.6 times the speed of arrays in an INSERT (`python -m benchmarks.ingest`).
STAGING = """
    CREATE TEMPORARY TABLE IF NOT EXISTS staged_passages
    (document_id uuid, ordinal int, start_offset int, end_offset int, content text, embedding halfvec, signature bytea)
    ON COMMIT DELETE ROWS
"""
STAGED_TYPES = ("uuid", "int4", "int4", "int4", "text", "halfvec", "bytea")
COPY_STAGED = "COPY staged_passages FROM STDIN (FORMAT binary)"
# to_tsvector gives up on a word of 2 KB and on a text of 1 MB of lexemes; passages stay far below both.
INSERT_STAGED = """
    INSERT INTO passages
           (source_id, lexemes, document_id, ordinal, start_offset, end_offset, content, embedding, signature)
    SELECT %s, to_tsvector(%s::regconfig, content),
           document_id, ordinal, start_offset, end_offset, content, embedding, signature
    FROM staged_passages
"""

# A row of an index holds 2,704 bytes. Longer embeddings stay out of it and are read from the rows, at a fifth of the
# speed; this is done before there is a row.
MAX_KEY_DIMENSION = 1300
LONG_EMBEDDINGS = (
    "ALTER TABLE passages DROP CONSTRAINT passages_pkey",
    "ALTER TABLE passages ADD CONSTRAINT passages_pkey PRIMARY KEY (source_id, document_id, ordinal)",
    "ALTER TABLE passages ALTER embedding SET STORAGE EXTERNAL",
)


@dataclass(frozen=True, slots=True)
class Known:
    """A document that is there already."""

    id: UUID
    content_hash: bytes
    passages: int


async def known_documents(session: AsyncSession, source_id: UUID, external_ids: Sequence[str]) -> dict[str, Known]:
    """The documents of these external ids, with the number of their passages."""
    count = (
        select(func.count())
        .where(Passage.source_id == Document.source_id, Passage.document_id == Document.id)
        .scalar_subquery()
    )
    rows = select(Document.external_id, Document.id, Document.content_hash, count).where(
        Document.source_id == source_id, Document.external_id.in_(external_ids)
    )
    return {row[0]: Known(*row[1:]) for row in (await session.execute(rows))}


async def claim_embedding_space(session: AsyncSession, embedder: Embedder) -> None:
    """Write down whose embeddings these are, the first time; raises `Conflict` if they are somebody else's."""
    mine = {"single": True, "embedder": embedder.name, "dimension": embedder.dimension}
    claim = insert(EmbeddingSpace).values(mine).on_conflict_do_nothing().returning(EmbeddingSpace.single)
    first = await session.scalar(claim)
    if first and embedder.dimension > MAX_KEY_DIMENSION:
        for statement in LONG_EMBEDDINGS:
            await session.execute(text(statement))
    space = (await session.scalars(select(EmbeddingSpace))).one()
    if (space.embedder, space.dimension) != (embedder.name, embedder.dimension):
        raise Conflict(
            f"The passages of this database were embedded by {space.embedder}, not by {embedder.name}. Set "
            "CREDENCE_EMBEDDER and CREDENCE_EMBEDDING_MODEL as they were, or use a new database."
        )


async def write(
    session: AsyncSession, corpus: Corpus, source_id: UUID, prepared: Sequence[Prepared]
) -> Mapping[str, UUID]:
    """Insert or replace documents and their passages; returns the identifiers by external id."""
    statement = insert(Document)
    replaced = {
        name: statement.excluded[name]
        for name in ("title", "url", "media_type", "content", "content_hash", "published_at", "attributes")
    }
    upsert = statement.on_conflict_do_update(
        index_elements=["source_id", "external_id"], set_=replaced | {"updated_at": func.now()}
    ).returning(Document.external_id, Document.id, text("xmax = 0"))
    rows = (await session.execute(upsert, [_row(source_id, one) for one in prepared])).all()
    identifiers = {external_id: identifier for external_id, identifier, _created in rows}
    replaced_ids = [identifier for _external_id, identifier, created in rows if not created]
    if replaced_ids:
        await session.execute(
            delete(Passage).where(Passage.source_id == source_id, Passage.document_id.in_(replaced_ids))
        )
    documents = [(identifiers[one.draft.external_id], one) for one in prepared]
    await _insert_passages(session, corpus, source_id, documents)
    return identifiers


def _row(source_id: UUID, one: Prepared) -> dict[str, object]:
    return {
        "id": one.draft.id,
        "source_id": source_id,
        "external_id": one.draft.external_id,
        "content": one.text.content,
        "content_hash": one.draft.content_hash,
        **one.draft.given.model_dump(include={"title", "url", "media_type", "published_at", "attributes"}),
    }


async def _insert_passages(
    session: AsyncSession, corpus: Corpus, source_id: UUID, documents: Sequence[tuple[UUID, Prepared]]
) -> None:
    raw = (await (await session.connection()).get_raw_connection()).driver_connection
    assert isinstance(raw, AsyncConnection)  # noqa: S101  (the engine's driver is psycopg)
    await register_vector_async(raw)
    async with raw.cursor() as cursor:
        await cursor.execute(STAGING)
        async with cursor.copy(COPY_STAGED) as copy:
            copy.set_types(STAGED_TYPES)
            for document_id, one in documents:
                pieces = zip(one.text.chunks, one.embeddings, one.text.signatures, strict=True)
                for ordinal, (piece, vector, mark) in enumerate(pieces):
                    await copy.write_row(
                        (document_id, ordinal, piece.start, piece.end, piece.content, HalfVector(vector), mark)
                    )
        await cursor.execute(INSERT_STAGED, (source_id, corpus.text_search))
