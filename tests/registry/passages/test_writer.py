"""Embeddings too long for an index's row, in a database of their own: the first ingest fits the table to them."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

import pytest
from sqlalchemy.engine import URL

from migrations import control
from registry.corpora import store as corpora
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.passages.store import top_passages
from registry.passages.store.candidates import candidate_sources
from registry.platform.database.engine import Database
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput
from tests.registry.documents.documents import LongEmbedder


@pytest.mark.parametrize("dimension", [1536, 4000])
async def test_long_embeddings_are_stored_and_searched(
    runtime: Runtime, new_database: Callable[[], URL], dimension: int
) -> None:
    url = new_database()
    control.upgrade(url)
    async with aclosing(Database(url, pool_size=2, timeout_seconds=10)) as database:
        await store_and_search(replace(runtime, database=database, embedder=LongEmbedder(dimension)))
    control.check(url)


async def store_and_search(runtime: Runtime) -> None:
    database = runtime.database
    async with database.begin() as session:
        corpus = await corpora.get(session, "default")
        source = await sources.create(session, corpus, SourceInput(name="Herald"))
    texts = [f"Document {n} of them." for n in range(20)]
    await ingest(runtime, corpus, source.id, [DocumentInput(content=text) for text in texts])
    (vector,) = await runtime.embedder.embed(["Document 7 of them."])
    async with database.begin() as session:
        retrieved = await top_passages(session, corpus, [source.id], "document 7", vector, 3)
        candidates = await candidate_sources(session, corpus, "document 7", vector, limit=5)
    assert len(retrieved[source.id]) == 3
    assert "Document 7" in retrieved[source.id][0].content
    assert list(candidates) == [source.id]
