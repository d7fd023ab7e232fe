"""What the tests of ingest share."""

import json
from collections.abc import AsyncIterator, Sequence

import numpy as np
from sqlalchemy import select

from answering.embedders.embedder import Vectors, normalised
from registry.corpora.model import Corpus
from registry.documents import imports
from registry.documents.model import Document, Passage
from registry.documents.schemas import LineResult
from registry.runtime import Runtime
from registry.sources.model import Source


class LongEmbedder:
    """Embeddings too long for a row of an index."""

    def __init__(self, dimension: int) -> None:
        self.name, self.dimension = f"long:{dimension}", dimension

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:  # noqa: ARG002
        seeds = [sum(text.encode()) for text in texts]
        rows = [np.random.default_rng(seed).normal(size=self.dimension) for seed in seeds]
        return normalised(np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension))

    async def aclose(self) -> None:
        return


async def lines(*values: object) -> AsyncIterator[bytes]:
    for line in values:
        yield line if isinstance(line, bytes) else json.dumps(line).encode()


async def imported(runtime: Runtime, corpus: Corpus, source: Source, *values: object) -> list[LineResult]:
    return [result async for result in imports.import_documents(runtime, corpus, source.id, lines(*values))]


async def stored(runtime: Runtime, source: Source) -> dict[str, tuple[str, list[str]]]:
    """External id -> content, and the passages in their order."""
    async with runtime.database.begin() as session:
        documents = (await session.scalars(select(Document).where(Document.source_id == source.id))).all()
        pieces = (await session.scalars(select(Passage).order_by(Passage.ordinal))).all()
    return {
        document.external_id: (
            document.content,
            [piece.content for piece in pieces if piece.document_id == document.id],
        )
        for document in documents
    }
