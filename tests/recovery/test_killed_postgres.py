"""Imports while Postgres is killed and started again: nothing reported is lost, nothing is stored twice."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import func, select

from registry.corpora.model import Corpus
from registry.documents import imports
from registry.documents.model import Document, Passage
from registry.documents.schemas import DocumentInput, LineResult
from registry.documents.service import ingest
from registry.platform.database import locks
from registry.platform.errors import DatabaseUnavailable
from registry.runtime import Runtime
from registry.sources import store as sources
from registry.sources.model import Source
from registry.sources.schemas import SourceInput
from tests.fakes.postgres import PostgresServer

DOCUMENTS = 1024


@pytest.fixture
async def source(own_runtime: Runtime, own_corpus: Corpus) -> Source:
    async with own_runtime.database.begin() as session:
        return await sources.create(session, own_corpus, SourceInput(name="Herald"))


async def lines() -> AsyncIterator[bytes]:
    for number in range(DOCUMENTS):
        yield json.dumps({"external_id": str(number), "content": f"Document {number}. " + "word " * 20}).encode()


async def count(runtime: Runtime, source: Source) -> tuple[int, int]:
    """Documents of the source, and those of them that have passages."""
    documents = select(func.count()).select_from(Document).where(Document.source_id == source.id)
    having = select(func.count(func.distinct(Passage.document_id))).where(Passage.source_id == source.id)
    async with runtime.database.begin() as session:
        return await session.scalar(documents) or 0, await session.scalar(having) or 0


async def test_an_import_waits_for_postgres_and_goes_on(
    own_runtime: Runtime,
    own_corpus: Corpus,
    source: Source,
    own_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A busy machine may take longer to start Postgres than imports wait by default.
    monkeypatch.setattr(locks, "RETRY_SECONDS", 90.0)
    killed = asyncio.Event()

    async def outage() -> None:
        await own_server.kill()
        killed.set()
        await asyncio.sleep(0.5)
        await own_server.start()

    results: list[LineResult] = []
    async with asyncio.TaskGroup() as group:
        async for result in imports.import_documents(own_runtime, own_corpus, source.id, lines()):
            results.append(result)
            if len(results) == 256:
                group.create_task(outage())
                await killed.wait()
    assert [result.line for result in results] == list(range(1, DOCUMENTS + 1))
    # A batch that was committed just before the connection broke is found unchanged when it is tried again.
    assert {result.status.value for result in results} <= {"created", "unchanged"}
    assert await count(own_runtime, source) == (DOCUMENTS, DOCUMENTS)


async def test_without_postgres_an_import_gives_up_and_what_it_reported_is_there(
    own_runtime: Runtime,
    own_corpus: Corpus,
    source: Source,
    own_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(locks, "RETRY_SECONDS", 1.0)
    reported = 0

    async def import_all() -> None:
        nonlocal reported
        async for _ in imports.import_documents(own_runtime, own_corpus, source.id, lines()):
            reported += 1
            if reported == 512:
                await own_server.kill()

    try:
        with pytest.raises(DatabaseUnavailable, match="try again"):
            await import_all()
        with pytest.raises(DatabaseUnavailable):
            await ingest(own_runtime, own_corpus, source.id, [DocumentInput(content="Now?")])
    finally:
        await own_server.start()
    monkeypatch.undo()
    assert reported == 512
    assert await count(own_runtime, source) == (512, 512)
    imported = imports.import_documents(own_runtime, own_corpus, source.id, lines())
    statuses = [result.status.value async for result in imported]
    assert statuses == ["unchanged"] * 512 + ["created"] * 512
