"""Fixtures of all tests: a real Postgres built by the real migrations, a runtime whose reader is scripted."""

import functools
import os
import shutil
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import httpx
import psycopg
import pytest
import structlog
from procrastinate import App
from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncSession

from answering.embedders import Embedder, WordLlamaEmbedder
from migrations import control
from registry.corpora import store as corpora
from registry.corpora.model import Corpus
from registry.events.audit import JOB, current_actor
from registry.platform.database import embedded
from registry.platform.database.engine import Database, libpq_url, resolve_url
from registry.platform.database.job_queue import open_queue
from registry.platform.providers import Judges
from registry.platform.settings import Settings
from tests.fakes.postgres import disk_of_servers
from tests.fakes.scripted_reader import ScriptedReader
from tests.remembered import Remember, State, connected, filled_tables, open_connections, restore, save

if TYPE_CHECKING:
    from registry.runtime import Runtime

# Drawing the tracebacks of expected failures as Rich does takes a twelfth of the time of tests over HTTP.
structlog.get_config()["processors"][-1].exception_formatter = structlog.dev.plain_traceback
# Every client would read the certificates anew, which takes 30 ms.
httpx._transports.default.create_ssl_context = functools.cache(httpx.create_ssl_context)  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def _nobody_acts() -> None:
    """What an earlier test told the audit log of who acts is forgotten, as it is with a process."""
    current_actor.set(JOB)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server_url() -> Iterator[URL]:
    """A server on which databases can be made: TEST_DATABASE_URL, else an embedded one that all workers share."""
    address = os.environ.get("TEST_DATABASE_URL")
    if address:
        yield make_url(address).set(drivername="postgresql+psycopg")
        return
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid.uuid4().hex)
    folder = disk_of_servers() / f"credence-tests-{run[:12]}"
    url = make_url(embedded.start(folder)).set(drivername="postgresql+psycopg")
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        # What these tests write need not survive a power cut, and how a query is planned must not depend on the time.
        for option in ("fsync", "full_page_writes", "synchronous_commit", "autovacuum"):
            connection.execute(f"ALTER SYSTEM SET {option} = off")
        connection.execute("ALTER SYSTEM SET checkpoint_timeout = '1h'")
        connection.execute("ALTER SYSTEM SET max_wal_size = '512MB'")
        connection.execute("SELECT pg_reload_conf()")
    yield url
    embedded.stop(folder)
    if not (folder / "postgres" / "postmaster.pid").exists():
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def new_database(server_url: URL) -> Iterator[Callable[..., URL]]:
    """Makes empty databases, or with other options of CREATE DATABASE, which are dropped at the end."""
    made: list[str] = []

    def make(options: str = "", name: str | None = None) -> URL:
        name = name or f"credence_test_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(libpq_url(server_url), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" {options}'.encode())
        made.append(name)
        return server_url.set(database=name)

    yield make
    if "TEST_DATABASE_URL" not in os.environ:  # They go with their server.
        return
    with psycopg.connect(libpq_url(server_url), autocommit=True) as connection:
        for name in made:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def migrated_url(server_url: URL, new_database: Callable[..., URL]) -> URL:
    """A database with the newest schema, shared by the tests of this process one after the other.

    The first process of a run migrates one, of which the others are copies.
    """
    template = f"credence_template_{os.environ.get('PYTEST_XDIST_TESTRUNUID', uuid.uuid4().hex)[:12]}"
    with psycopg.connect(libpq_url(server_url), autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(hashtext(%s))", [template])
        if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [template]).rowcount:
            control.upgrade(new_database(name=template))
        return new_database(f'TEMPLATE "{template}"')


JOBS = ("procrastinate.procrastinate_jobs", "procrastinate.procrastinate_workers")
# Only truncating forgets how many rows a test had analysed, which searches go by.
ANALYSED = "SELECT EXISTS (SELECT FROM pg_class WHERE relname LIKE 'passages%' AND relkind = 'r' AND reltuples > 0)"
VECTOR_INDEXES = """
    SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = 'passages'::regclass AND relname LIKE '%embedding%'
"""
DEFAULT_CORPUS = """
    UPDATE corpora SET description = '', text_search = 'english', use_gold = true, generate_queries = true,
        answers = 'one', asked_queries = 200, daily_questions = NULL, max_documents = NULL,
        max_stored_bytes = NULL
    WHERE corpora.name = 'default'
"""


def empty(connection: psycopg.Connection) -> None:
    """Delete all rows but the default corpus.

    Truncating the partitions takes 200 ms, deleting the few rows of a test 10. Statements are prepared, since planning
    them takes longer than executing them.
    """
    for name in reversed(filled_tables(connection)):
        connection.execute(f"DELETE FROM {name}".encode(), prepare=True)  # noqa: S608  (the name is that of a table)
    for name in JOBS:
        if connection.execute(f"SELECT FROM {name} LIMIT 1".encode(), prepare=True).rowcount:
            connection.execute(f"TRUNCATE {name} CASCADE".encode(), prepare=True)
    if connection.execute(ANALYSED, prepare=True).fetchone() == (True,):
        connection.execute("TRUNCATE passages")
    for (name,) in connection.execute(VECTOR_INDEXES, prepare=True).fetchall():
        connection.execute(f"DROP INDEX IF EXISTS {name}")
    connection.execute("DELETE FROM corpora WHERE corpora.name <> 'default'", prepare=True)
    connection.execute(DEFAULT_CORPUS, prepare=True)


@pytest.fixture(scope="session")
def emptying(migrated_url: URL) -> Iterator[psycopg.Connection]:
    """A connection that stays open, which copies states too."""
    with psycopg.connect(libpq_url(migrated_url), autocommit=True) as connection:
        open_connections[migrated_url] = connection
        yield connection
        del open_connections[migrated_url]


@pytest.fixture
def database_url(migrated_url: URL, emptying: psycopg.Connection) -> URL:
    """The same database, emptied of everything but the default corpus."""
    empty(emptying)
    return migrated_url


@pytest.fixture(scope="session")
def states() -> dict[str, State]:
    """Saved states of the database of this process, by name."""
    return {}


@pytest.fixture
def remember(database_url: URL, states: dict[str, State]) -> Remember:
    """Brings the emptied database into a named state: builds it, and copies it back the next time."""

    async def reach(name: str, build: Callable[[], Awaitable[object]]) -> None:
        if name in states:
            with connected(database_url) as connection:
                restore(connection, states[name])
            return
        await build()
        with connected(database_url) as connection:
            states[name] = save(connection)

    return reach


@pytest.fixture(scope="session")
async def open_database(common_settings: Settings) -> AsyncIterator[Database]:
    """Connections that stay open from test to test: a new one takes as long as most of what a test asks."""
    database = Database.from_settings(common_settings)
    yield database
    await database.aclose()


@pytest.fixture(scope="session")
async def open_jobs(common_settings: Settings) -> AsyncIterator[App]:
    async with open_queue(resolve_url(common_settings)) as jobs:
        yield jobs


@pytest.fixture
def database(open_database: Database, database_url: URL) -> Database:  # noqa: ARG001  (emptied)
    return open_database


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


@pytest.fixture(scope="session")
def common_settings(migrated_url: URL) -> Settings:
    settings = Settings(database_url=libpq_url(migrated_url), job_heartbeat_seconds=0.5, database_timeout_seconds=10)
    # A process that takes texts would have to start for each test that stores some.
    return settings.model_copy(update={"extraction_processes": 0})


@pytest.fixture
def settings(common_settings: Settings, database_url: URL, tmp_path: Path) -> Settings:  # noqa: ARG001  (emptied)
    return common_settings.model_copy(update={"data_dir": tmp_path})


@pytest.fixture
async def runtime(
    settings: Settings, database: Database, open_jobs: App, embedder: Embedder
) -> AsyncIterator["Runtime"]:
    """Everything real but the reader, which abstains until a test replaces it."""
    from registry.runtime import Runtime  # noqa: PLC0415  (tests of arithmetic need not load the whole service)

    judges = Judges(None)
    yield Runtime(settings, database, embedder, ScriptedReader(), open_jobs, judges, None, None)
    await judges.aclose()


Recording: TypeAlias = Callable[[], AbstractContextManager[list[str]]]


@pytest.fixture
def count_statements(database: Database) -> Recording:
    """A block in which every SQL statement sent through `database` is recorded."""

    @contextmanager
    def recording() -> Iterator[list[str]]:
        statements: list[str] = []

        def record(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
            statements.append(statement)

        event.listen(database.engine.sync_engine, "before_cursor_execute", record)
        try:
            yield statements
        finally:
            event.remove(database.engine.sync_engine, "before_cursor_execute", record)

    return recording
