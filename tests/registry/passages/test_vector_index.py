"""The approximate index, in a database of its own: built, replaced and dropped; searches by it against exact ones."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from uuid_utils.compat import uuid7

from answering.embedders import Vector
from migrations import control
from migrations.control import build
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.corpora.schemas import CorpusInput
from registry.jobs.failures import pause
from registry.jobs.housekeeping import update_index
from registry.passages.store import indexes, top_passages
from registry.passages.store.candidates import MIN_SOURCES, candidate_sources
from registry.passages.store.index_maintenance import INDEXES
from registry.passages.store.writer import PassageRow, insert_passages, register_embedding_space
from registry.platform.database import backup
from registry.platform.database.engine import Database
from registry.platform.database.restore import restore
from registry.platform.enums import SourceStatus
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.schemas import SourceInput, SourcePatch
from tests.registry.documents.documents import LongEmbedder

DIMENSION = 32
SOURCES, PASSAGES, LARGE = 70, 30, 1_500
QUESTION = "page 7"
DOCUMENTS = text(
    "INSERT INTO documents (id, source_id, external_id, title, media_type, content, content_hash, attributes)"
    " VALUES (:id, :source, 'all', '', 'text/plain', '', '', '{}')"
)


class World:
    """A corpus of many sources of which one is large, and a corpus of three, around twenty topics."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.random = np.random.default_rng(1)
        self.topics = self.random.normal(size=(20, DIMENSION))
        self.large_corpus: Corpus
        self.small_corpus: Corpus
        self.large_source: UUID

    async def fill(self) -> None:
        """Every source writes about every topic."""
        async with self.runtime.database.begin() as session:
            await register_embedding_space(session, self.runtime.embedder)
            self.large_corpus = await corpora.get(session, corpora.DEFAULT)
            self.small_corpus = await corpora.create(session, CorpusInput(name="small"))
        self.large_source = await self.add(self.large_corpus, LARGE)
        for corpus, count in ((self.large_corpus, SOURCES), (self.small_corpus, 3)):
            for _ in range(count):
                await self.add(corpus, PASSAGES)
        await self.analyse()

    async def add(self, corpus: Corpus, passages: int) -> UUID:
        """A source with so many passages."""
        async with self.runtime.database.begin() as session:
            source = await sources.create(session, corpus, SourceInput(name=str(uuid7())))
            document = uuid7()
            await session.execute(DOCUMENTS, {"id": document, "source": source.id})
            rows = [
                PassageRow(source.id, document, n, 0, 9, f"Of page {n}.", "", "", self.near(n % 20), None)
                for n in range(passages)
            ]
            await insert_passages(session, corpus, rows)
        return source.id

    def near(self, topic: int) -> Vector:
        """A vector about a topic."""
        return np.asarray(self.topics[topic] + self.random.normal(0, 0.5, DIMENSION), dtype=np.float32)

    async def analyse(self) -> None:
        """As autovacuum does."""
        async with self.runtime.database.begin() as session:
            await session.execute(text("ANALYZE passages"))

    async def indexes(self) -> dict[str, int]:
        """The lists of valid indexes by name."""
        async with self.runtime.database.begin() as session:
            return {row.name: row.lists for row in await session.execute(INDEXES) if row.is_valid}

    async def candidates(self, corpus: Corpus, vector: Vector) -> dict[UUID, float]:
        """The candidate sources."""
        async with self.runtime.database.begin() as session:
            return await candidate_sources(session, corpus, QUESTION, vector, limit=50)

    async def passages_of_large_source(self, vector: Vector) -> list[int]:
        """The best passages of the large source."""
        async with self.runtime.database.begin() as session:
            found = await top_passages(session, self.large_corpus, [self.large_source], QUESTION, vector, 3)
        return [passage.ordinal for passage in found[self.large_source]]


@pytest.fixture
async def world(
    runtime: Runtime, new_database: Callable[[], URL], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """With lists so short that the index pays for few passages, and with nothing remembered."""
    monkeypatch.setattr("registry.passages.store.index_maintenance.PASSAGES_PER_LIST", 5)
    monkeypatch.setattr(indexes, "PROBES", 12)
    monkeypatch.setattr(indexes, "STALE_SECONDS", 0.0)
    url = new_database()
    control.upgrade(url)
    async with aclosing(Database(url, pool_size=3, timeout_seconds=10)) as database:
        world = World(replace(runtime, database=database, embedder=LongEmbedder(DIMENSION)))
        await world.fill()
        yield world


async def test_an_index_is_built_searched_replaced_and_dropped(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    new_database: Callable[[], URL],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    questions = [world.near(n % 20) for n in range(10)]
    corpora_searched = (world.large_corpus, world.small_corpus)
    exact = [[await world.candidates(corpus, vector) for vector in questions] for corpus in corpora_searched]
    exact_passages = [await world.passages_of_large_source(vector) for vector in questions]
    assert await update_index(world.runtime, 1_000) == 16
    assert await update_index(world.runtime, 1_000) == 0
    control.check(world.runtime.database.url)

    async with world.runtime.database.begin() as session:
        index = await indexes.vector_index(session)
    assert index is not None
    assert index.probes_of_corpus(world.large_corpus.id, None, MIN_SOURCES)
    assert index.probes_of_corpus(world.small_corpus.id, None, MIN_SOURCES) is None
    assert index.probes_of_source(world.large_source)
    by_index = [[await world.candidates(corpus, vector) for vector in questions] for corpus in corpora_searched]
    recalls = [len(set(a) & set(b)) / len(a) for a, b in zip(exact[0], by_index[0], strict=True)]
    assert np.mean(recalls) >= 0.95
    assert by_index[1] == exact[1]
    passages = [await world.passages_of_large_source(vector) for vector in questions]
    hits = [len(set(a) & set(b)) / 3 for a, b in zip(exact_passages, passages, strict=True)]
    assert np.mean(hits) >= 0.95

    # Even if the small corpus were searched by the index, which is mostly of another.
    monkeypatch.setattr(indexes.VectorIndex, "probes_of_corpus", lambda *_: 4)
    forced = [await world.candidates(world.small_corpus, vector) for vector in questions]
    assert [set(found) for found in forced] == [set(found) for found in exact[1]]
    async with world.runtime.database.begin() as session:
        await sources.update(session, world.large_corpus, world.large_source, SourcePatch(status=SourceStatus.PAUSED))
    assert world.large_source not in await world.candidates(world.large_corpus, questions[0])

    path, target = tmp_path_factory.mktemp("backup") / "backup", new_database()
    backup.back_up(world.runtime.database.url, path)
    restore(target, path, build, pause)
    await check_replacement(world)


async def check_replacement(world: World) -> None:
    before = await world.indexes()
    await world.add(world.small_corpus, 3_000)
    await world.analyse()
    async with world.runtime.database.begin() as session:
        # As an interrupted build leaves it.
        broken = min(before)
        statement = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = CAST(:name AS regclass)"
        await session.execute(text(statement), {"name": broken})
        assert await indexes.vector_index(session) is None
    assert await update_index(world.runtime, 1_000) >= 1
    after = await world.indexes()
    assert len(after) == 16
    # The partition with the new passages has more lists.
    assert len(set(after) - set(before)) >= 1
    assert await update_index(world.runtime, 1_000_000) == 16
    assert await world.indexes() == {}
