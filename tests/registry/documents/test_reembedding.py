"""Passages embedded anew by another embedder, at once or after an interruption, in a database of their own."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy.engine import URL

from answering.embedders import Embedder, Vectors
from answering.errors import ModelUnavailable
from migrations import control
from registry.corpora import store as corpora
from registry.documents import reembedding
from registry.documents.reembedding import reembed
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.passages.store import top_passages
from registry.platform.database.engine import Database
from registry.platform.errors import SettingsError
from registry.runtime import Runtime, check_embedding_space
from registry.sources import store as sources
from registry.sources.schemas import SourceInput
from tests.registry.documents.documents import LongEmbedder

TEXTS = [f"Document {number} of them." for number in range(20)]


class InterruptedEmbedder(LongEmbedder):
    """Ends after some texts."""

    def __init__(self, dimension: int, left: int) -> None:
        super().__init__(dimension)
        self.left = left

    async def embed(self, texts: Sequence[str], *, passages: bool = False) -> Vectors:
        self.left -= len(texts)
        if self.left < 0:
            raise ModelUnavailable("The model server does not answer.")
        return await super().embed(texts, passages=passages)


@pytest.fixture
async def database(runtime: Runtime, new_database: Callable[[], URL]) -> AsyncIterator[Database]:
    """A database with passages of the default embedder."""
    url = new_database()
    control.upgrade(url)
    async with aclosing(Database(url, pool_size=2, timeout_seconds=10)) as database:
        async with database.begin() as session:
            corpus = await corpora.get(session, "default")
            source = await sources.create(session, corpus, SourceInput(name="Herald"))
        documents = [DocumentInput(content=text) for text in TEXTS]
        await ingest(replace(runtime, database=database), corpus, source.id, documents)
        yield database


def ignore(done: int, total: int) -> None:
    """No progress is shown."""


async def nearest(database: Database, embedder: Embedder) -> list[tuple[str, float]]:
    """The best passage for each text, and its relevance."""
    found = []
    async with database.begin() as session:
        corpus = await corpora.get(session, "default")
        source = await sources.find(session, corpus, "Herald")
        for text, vector in zip(TEXTS, await embedder.embed(TEXTS), strict=True):
            (passage,) = (await top_passages(session, corpus, [source.id], text, vector, 1))[source.id]
            found.append((passage.content, passage.relevance))
    return found


@pytest.mark.parametrize("dimension", [384, 1536])
async def test_all_passages_are_embedded_by_the_new_embedder(database: Database, dimension: int) -> None:
    embedder = LongEmbedder(dimension)
    with pytest.raises(SettingsError, match="credence embed"):
        await check_embedding_space(database, embedder)
    assert await reembed(database, embedder, ignore) == len(TEXTS)
    await check_embedding_space(database, embedder)
    found = await nearest(database, embedder)
    assert [content for content, _ in found] == TEXTS
    assert np.allclose([relevance for _, relevance in found], 1, atol=1e-2)
    assert await reembed(database, embedder, ignore) == 0
    control.check(database.url)


async def test_what_was_interrupted_goes_on_and_no_service_starts_before(
    database: Database, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "BATCH", 8)
    # Of the same dimension as the former one, so that what is done cannot be told by that.
    interrupted = InterruptedEmbedder(embedder.dimension, left=16)
    with pytest.raises(ModelUnavailable):
        await reembed(database, interrupted, ignore)
    for either in (embedder, interrupted):
        with pytest.raises(SettingsError, match="unfinished"):
            await check_embedding_space(database, either)
    told: list[tuple[int, int]] = []
    interrupted.left = 1_000
    assert await reembed(database, interrupted, lambda done, total: told.append((done, total))) == 4
    assert told == [(4, 4)]
    await check_embedding_space(database, interrupted)
    assert [content for content, _ in await nearest(database, interrupted)] == TEXTS


async def test_an_empty_database_needs_nothing(new_database: Callable[[], URL]) -> None:
    url = new_database()
    control.upgrade(url)
    async with aclosing(Database(url, pool_size=2, timeout_seconds=10)) as database:
        assert await reembed(database, LongEmbedder(8), ignore) == 0
        await check_embedding_space(database, LongEmbedder(8))
