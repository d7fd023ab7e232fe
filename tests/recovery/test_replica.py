"""A read replica answers questions while it keeps up, and no question fails because of it."""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Embedder
from api.app import create_app
from migrations import control
from registry.answers import service as answers
from registry.answers.result_schemas import AnswerResult
from registry.answers.schemas import AnswerParameters
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.documents.schemas import DocumentInput
from registry.documents.service import ingest
from registry.platform.database import replica as replica_module
from registry.platform.database.binaries import binary
from registry.platform.database.engine import libpq_url
from registry.platform.database.replica import Replica
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime
from registry.search.service import search
from registry.sources.model import Source
from tests.eventually import eventually
from tests.fakes.postgres import PostgresServer, disk_of_servers
from tests.fakes.replica import ReplicaServer, replica_of
from tests.registry.world import build, colour_reader, honest, question

IS_REPLICA = text("SELECT pg_is_in_recovery()")


@pytest.fixture
async def server(own_server: PostgresServer) -> AsyncIterator[ReplicaServer]:
    if not binary("pg_basebackup").exists():
        pytest.skip("the embedded PostgreSQL of this platform has no pg_basebackup")
    with tempfile.TemporaryDirectory(
        prefix="credence-test-", dir=disk_of_servers(), ignore_cleanup_errors=True
    ) as folder:
        async with replica_of(own_server.new_database(), Path(folder)) as server:
            yield server


@pytest.fixture
async def replicated(
    own_server: PostgresServer, server: ReplicaServer, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Runtime]:
    monkeypatch.setattr(replica_module, "CHECK_SECONDS", 0.02)
    settings = Settings.model_validate(
        {
            "database_url": libpq_url(own_server.url_of(server.url.database)),
            "database_replica_url": libpq_url(server.url),
            "database_timeout_seconds": 10,
            "conflict_judge": "none",
        }
    )
    async with open_runtime(
        settings, check_schema=control.check_schema, reader=colour_reader(), embedder=embedder
    ) as runtime:
        yield runtime


async def answer_of(runtime: Runtime, corpus: Corpus, tower: str = "Aldra") -> AnswerResult:
    record = await answers.ask(runtime, corpus, question(tower), AnswerParameters())
    return AnswerResult.model_validate(record.result)


async def from_replica(session: AsyncSession) -> bool:
    return bool(await session.scalar(IS_REPLICA))


async def health_of(client: httpx.AsyncClient) -> object:
    return (await client.get("/readyz")).json()["replica"]


async def test_questions_are_read_from_a_replica_that_keeps_up(server: ReplicaServer, replicated: Runtime) -> None:
    database, replica = replicated.database, replicated.database.replica
    assert replica is not None
    transport = httpx.ASGITransport(create_app(replicated.settings, runtime=replicated))
    client = httpx.AsyncClient(transport=transport, base_url="http://localhost")
    async with database.begin() as session:
        corpus = await corpora.get(session, corpora.DEFAULT)
    # Own writes are seen at once, wherever they are read.
    sources = await build(replicated, corpus, {"herald": honest(), "gazette": honest()})
    assert len(await search(replicated, corpus, "tower of Aldra", limit=5)) == 5
    await eventually(lambda: replica.is_fit)
    assert await database.read(from_replica)
    before = replica.reads.copy()
    assert (await answer_of(replicated, corpus)).answers == ("red",)
    assert await search(replicated, corpus, "tower of Aldra", limit=1)
    assert replica.reads == before | {"replica": before["replica"] + 12}
    assert await health_of(client) == "in_use"

    # A reading that the replica does not have yet is not made again.
    server.execute("SELECT pg_wal_replay_pause()")
    usage = [(await answer_of(replicated, corpus, "Brin")).usage for _ in range(2)]
    assert [(spent.readings, spent.readings_cached) for spent in usage] == [(2, 0), (2, 2)]
    assert replica.reads["primary"] == before["primary"]

    await _publish(replicated, corpus, sources["herald"])
    assert not replica.is_fit
    assert "Zyx" in (await search(replicated, corpus, "tower of Zyx", limit=1))[0].passage.content
    replica.max_lag_seconds = 0.1
    await eventually(lambda: not replica.is_in_use)
    assert await health_of(client) == "not_in_use"
    replica.max_lag_seconds = 10.0
    server.execute("SELECT pg_wal_replay_resume()")
    await eventually(lambda: replica.is_fit)
    metrics = (await client.get("/metrics")).text
    assert "credence_replica_in_use 1.0" in metrics
    assert 'credence_replica_reads_total{server="primary"}' in metrics

    elsewhere = Replica(database.engine, database.engine, max_lag_seconds=10.0)
    await elsewhere.check()
    assert not elsewhere.is_in_use

    # A server that is stopped in the middle of a look-up, one that is killed, and one that comes back.
    replica.max_lag_seconds = 0.5
    server.pause()
    assert (await answer_of(replicated, corpus)).answers == ("red",)
    await eventually(lambda: not replica.is_in_use)
    server.resume()
    replica.max_lag_seconds = 10.0
    await eventually(lambda: replica.is_fit)
    await server.kill()
    assert [(await answer_of(replicated, corpus)).answers for _ in range(3)] == [("red",)] * 3
    await eventually(lambda: not replica.is_in_use)
    await server.start()
    await eventually(lambda: replica.is_fit)
    assert (await answer_of(replicated, corpus)).answers == ("red",)


async def _publish(runtime: Runtime, corpus: Corpus, source: Source) -> None:
    document = DocumentInput(external_id="Zyx", title="Zyx", content="The tower of Zyx is painted teal.")
    await ingest(runtime, corpus, source.id, [document])
