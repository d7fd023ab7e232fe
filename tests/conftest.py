"""Fixtures of all tests: a real Postgres built by the real migrations, a runtime whose reader is scripted."""

import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Embedder, WordLlamaEmbedder
from answering.readers.scripted import ScriptedReader
from migrations import control
from registry import corpora, embedded
from registry.database import Database, libpq_url
from registry.models import Base, Corpus
from registry.settings import Settings

if TYPE_CHECKING:
    from registry.runtime import Runtime


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[URL]:
    """A server on which databases can be made: TEST_DATABASE_URL, else an embedded one that all workers share."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield make_url(given).set(drivername="postgresql+psycopg")
        return
    folder: Path = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    yield make_url(embedded.start(folder)).set(drivername="postgresql+psycopg")
    embedded.stop(folder)


@pytest.fixture(scope="session")
def new_database(server_url: URL) -> Iterator[Callable[[], URL]]:
    """Makes empty databases, which are dropped at the end."""
    made: list[str] = []

    def make() -> URL:
        name = f"credence_test_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(libpq_url(server_url), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[call-overload]
        made.append(name)
        return server_url.set(database=name)

    yield make
    with psycopg.connect(libpq_url(server_url), autocommit=True) as connection:
        for name in made:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')  # type: ignore[call-overload]


@pytest.fixture(scope="session")
def migrated_url(new_database: Callable[[], URL]) -> URL:
    """A database with the newest schema, shared by the tests of this process one after the other."""
    url = new_database()
    control.upgrade(url)
    return url


@pytest.fixture
def database_url(migrated_url: URL) -> URL:
    """The same database, emptied of everything but the default corpus."""
    tables = ", ".join(f'"{table.name}"' for table in Base.metadata.sorted_tables if table.name != "corpora")
    with psycopg.connect(libpq_url(migrated_url), autocommit=True) as connection:
        connection.execute(
            f"TRUNCATE {tables}, procrastinate.procrastinate_jobs, procrastinate.procrastinate_workers CASCADE"  # type: ignore[call-overload]
        )
        connection.execute("DELETE FROM corpora WHERE name <> 'default'")
        connection.execute("UPDATE corpora SET description = '', text_search = 'english' WHERE name = 'default'")
    return migrated_url


@pytest.fixture
async def database(database_url: URL) -> AsyncIterator[Database]:
    database = Database(database_url, pool_size=10, timeout_seconds=10)
    yield database
    await database.aclose()


@pytest.fixture
async def session(database: Database) -> AsyncIterator[AsyncSession]:
    async with database.begin() as session:
        yield session


@pytest.fixture
async def corpus(database: Database) -> Corpus:
    """The corpus that exists from the start."""
    async with database.begin() as session:
        return await corpora.get(session, "default")


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return WordLlamaEmbedder()


@pytest.fixture
def settings(database_url: URL, tmp_path: Path) -> Settings:
    return Settings(
        database_url=libpq_url(database_url),  # type: ignore[arg-type]
        data_dir=tmp_path,
        job_heartbeat_seconds=0.5,
        database_timeout_seconds=10,
    )


@pytest.fixture
async def runtime(settings: Settings, embedder: Embedder) -> AsyncIterator["Runtime"]:
    """Everything real but the reader, which abstains until a test replaces it."""
    from registry.runtime import open_runtime  # noqa: PLC0415  (tests of arithmetic need not load the whole service)

    async with open_runtime(settings, reader=ScriptedReader(), embedder=embedder) as runtime:
        yield runtime


@pytest.fixture
def count_statements(database: Database) -> Callable[[], "contextmanager[list[str]]"]:  # type: ignore[valid-type]
    """A block in which every SQL statement sent through `database` is recorded."""

    @contextmanager
    def recording() -> Iterator[list[str]]:
        statements: list[str] = []

        def record(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
            statements.append(statement)

        event.listen(database.engine.sync_engine, "before_cursor_execute", record)
        yield statements
        event.remove(database.engine.sync_engine, "before_cursor_execute", record)

    return recording  # type: ignore[return-value]
