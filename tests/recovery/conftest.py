"""A runtime on a Postgres server that its test stops."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from answering.embedders import Embedder
from migrations import control
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.platform.database.engine import libpq_url
from registry.platform.settings import Settings
from registry.runtime import Runtime, open_runtime
from tests.fakes.postgres import PostgresServer, disk_of_servers
from tests.fakes.scripted_reader import ScriptedReader


@pytest.fixture(scope="session")
def own_server() -> Iterator[PostgresServer]:
    with tempfile.TemporaryDirectory(
        prefix="credence-test-", dir=disk_of_servers(), ignore_cleanup_errors=True
    ) as folder:
        server = PostgresServer(Path(folder))
        yield server
        server.close()


@pytest.fixture
def own_settings(own_server: PostgresServer) -> Settings:
    return Settings.model_validate(
        {
            "database_url": libpq_url(own_server.new_database()),
            "job_heartbeat_seconds": 0.5,
            "database_timeout_seconds": 10,
        }
    )


@pytest.fixture
async def own_runtime(own_settings: Settings, embedder: Embedder) -> AsyncIterator[Runtime]:
    async with open_runtime(
        own_settings, check_schema=control.check_schema, reader=ScriptedReader(), embedder=embedder
    ) as runtime:
        yield runtime


@pytest.fixture
async def own_corpus(own_runtime: Runtime) -> Corpus:
    async with own_runtime.database.begin() as session:
        return await corpora.get(session, corpora.DEFAULT)
