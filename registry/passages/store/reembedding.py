"""Embedding all passages anew with another embedder, while nothing else uses the database.

At first every embedding becomes one number, so that what was done is known wherever the work ends; until all are made,
the embedding space has a name that no embedder has, and no service starts.
"""

from collections.abc import Sequence
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import Row, delete, text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Embedder, Vectors
from registry.documents.model import EmbeddingSpace
from registry.estimations.model import RunCentroid
from registry.passages.store.index_maintenance import INDEXES
from registry.passages.store.writer import LONG_EMBEDDINGS, MAX_KEY_DIMENSION

UNFINISHED = "{} (unfinished)"
Key = tuple[UUID, UUID, int]
START: Key = (UUID(int=0), UUID(int=0), -1)
CLEAR = text("UPDATE passages SET embedding = '[1]'")
LEFT = text("SELECT count(*) FROM passages WHERE vector_dims(embedding) = 1")
NEXT = text(
    """
    SELECT source_id, document_id, ordinal, content FROM passages
    WHERE (source_id, document_id, ordinal) > (:source_id, :document_id, :ordinal) AND vector_dims(embedding) = 1
    ORDER BY source_id, document_id, ordinal LIMIT :limit
    """
)
WRITE = text(
    """
    UPDATE passages SET embedding = CAST(made.embedding AS halfvec)
    FROM unnest(CAST(:source_ids AS uuid[]), CAST(:document_ids AS uuid[]), CAST(:ordinals AS int[]),
                CAST(:embeddings AS text[])) AS made (source_id, document_id, ordinal, embedding)
    WHERE passages.source_id = made.source_id AND passages.document_id = made.document_id
        AND passages.ordinal = made.ordinal
    """
)


async def begin_reembedding(session: AsyncSession, embedder: Embedder) -> int:
    """Discard the embeddings of another embedder, and what was computed from them; returns how many are to be made."""
    space = await session.get(EmbeddingSpace, True)
    if space is None or (space.embedder, space.dimension) == (embedder.name, embedder.dimension):
        return 0
    unfinished = UNFINISHED.format(embedder.name)
    await session.execute(text("SET LOCAL statement_timeout = 0"))
    if (space.embedder, space.dimension) != (unfinished, embedder.dimension):
        space.embedder, space.dimension = unfinished, embedder.dimension
        # Housekeeping builds them again.
        for index in {row.name for row in await session.execute(INDEXES)} - {None}:
            await session.execute(text(f"DROP INDEX {index}"))
        await session.execute(CLEAR)
        await session.execute(delete(RunCentroid))
        if embedder.dimension > MAX_KEY_DIMENSION:
            for alteration in LONG_EMBEDDINGS:
                await session.execute(text(alteration))
    return int(await session.scalar(LEFT) or 0)


async def unembedded(session: AsyncSession, after: Key, limit: int) -> Sequence[Row[tuple[UUID, UUID, int, str]]]:
    """Keys and contents of the next passages without an embedding, in the order of their keys."""
    source_id, document_id, ordinal = after
    parameters = {"source_id": source_id, "document_id": document_id, "ordinal": ordinal, "limit": limit}
    return (await session.execute(NEXT, parameters)).all()


async def write_embeddings(session: AsyncSession, keys: Sequence[Key], vectors: Vectors) -> None:
    """Store one row of the vectors for each passage."""
    source_ids, document_ids, ordinals = map(list, zip(*keys, strict=True))
    embeddings = [HalfVector(vector).to_text() for vector in vectors]
    parameters = {"source_ids": source_ids, "document_ids": document_ids, "ordinals": ordinals}
    await session.execute(WRITE, parameters | {"embeddings": embeddings})


async def end_reembedding(session: AsyncSession, embedder: Embedder) -> None:
    """Say that all embeddings are by this embedder."""
    space = await session.get(EmbeddingSpace, True)
    if space is not None:
        space.embedder = embedder.name
