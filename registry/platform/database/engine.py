"""The database engine of a process, its transactions, and the translation of driver errors."""

import errno
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, TypeVar

import psycopg
from pydantic import SecretStr
from sqlalchemy import Connection, event, exc, func, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import Session
from sqlalchemy.orm import exc as orm_exc
from sqlalchemy.pool import QueuePool

from registry.platform.database import embedded
from registry.platform.database.replica import WROTE, NotingSession, Replica, ReplicaUnavailable
from registry.platform.errors import Conflict, DatabaseUnavailable, NotFound, SettingsError
from registry.platform.settings import Settings

Result = TypeVar("Result")

# Compiling the plans of partitioned searches costs more than it saves. The rankings of a hundred sources' passages
# are sorted in memory with this work_mem.
SESSION_OPTIONS = {"timezone": "UTC", "jit": "off", "work_mem": "16MB"}
# The connections of a machine that is gone are closed, and its locks freed, after a minute instead of two hours.
KEEPALIVE_OPTIONS = {"tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3"}
# PostgreSQL keeps for a connection what it learned of tables and the plans of statements, until it is closed. What
# other lifetimes do to memory and time was not measured.
CONNECTION_SECONDS = 600
# Locks that a process may hold or try at once, each on a connection of its own, so that a small pool is left to work:
# those of its four jobs, of the scheduler, of the index of embeddings and of two evaluations.
MOST_LOCKS = 8
# How far the replica may lag, and the longest it may take for a look-up.
MAX_LAG_SECONDS = 10.0
# Of a transaction that reads or writes all votes of a run, which takes longer than a statement of a request may.
LONG_TIMEOUT = "SET LOCAL statement_timeout = '10min'"
# What PgBouncer says of the options above.
UNSUPPORTED_OPTIONS = "unsupported startup parameter"
# What PostgreSQL says where all connections of the server, a database or a role are taken.
NO_CONNECTION_LEFT = re.compile("too many (clients|connections)|remaining connection slots are reserved")
# SQLSTATE classes that a retry may overcome: connection, resources, operator intervention, locks, serialisation.
TRANSIENT_SQLSTATES = re.compile("^(08|53|57|55P03|40)")


def resolve_url(settings: Settings) -> URL:
    """DATABASE_URL with the driver psycopg, or the URL of the embedded server, which is started.

    Raises `SettingsError` if DATABASE_URL is no URL of a PostgreSQL database, or if the embedded server cannot start.
    """
    if settings.database_url is None:
        return _parsed("DATABASE_URL", SecretStr(embedded.start(settings.data_dir)))
    return _parsed("DATABASE_URL", settings.database_url)


def resolve_direct_url(settings: Settings) -> URL:
    """The URL of the server itself, where that of `resolve_url` may be of a pooler: connections keep their state.

    Migrations, backups, locks and the listening for jobs need that. Raises as `resolve_url` does.
    """
    if settings.database_direct_url is None:
        return resolve_url(settings)
    return _parsed("DATABASE_DIRECT_URL", settings.database_direct_url)


def _parsed(variable: str, raw: SecretStr) -> URL:
    try:
        url = make_url(raw.get_secret_value())
    except exc.ArgumentError as error:
        raise SettingsError(
            f"{variable} is not a URL; it should look like postgresql://user:secret@host/name"
        ) from error
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        raise SettingsError(f"{variable} names {url.get_backend_name()!r}; Credence runs on PostgreSQL only.")
    return url.set(drivername="postgresql+psycopg")


def libpq_url(url: URL) -> str:
    """The URL as libpq takes it, with its password."""
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


class Database:
    """An engine and its transactions. Code that is handed a session never commits it."""

    def __init__(
        self,
        url: URL,
        *,
        pool_size: int,
        timeout_seconds: float,
        direct_url: URL | None = None,
        replica_url: URL | None = None,
        max_lag_seconds: float = 0.0,
    ) -> None:
        """Give a `direct_url` if the others may be of poolers whose connections keep no state between transactions."""
        self.url = url
        self.direct_url = direct_url or url
        self._timeout_seconds = timeout_seconds
        self.engine = self._engine(url, pool_size)
        # One stays open, for those who try again and again to lead.
        self.lock_engine = self._engine(self.direct_url, 1, overflow=MOST_LOCKS - 1)
        self.replica: Replica | None = None
        if replica_url is not None:
            self.replica = Replica(self._engine(url, 1), self._engine(replica_url, pool_size), max_lag_seconds)
        session_class = Session if self.replica is None else NotingSession
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False, sync_session_class=session_class)

    @classmethod
    def from_settings(cls, settings: Settings) -> "Database":
        """The database that the settings name; see `resolve_url`."""
        direct, replica = settings.database_direct_url, settings.database_replica_url
        return cls(
            resolve_url(settings),
            pool_size=settings.database_pool_size,
            timeout_seconds=settings.database_timeout_seconds,
            direct_url=None if direct is None else _parsed("DATABASE_DIRECT_URL", direct),
            replica_url=None if replica is None else _parsed("DATABASE_REPLICA_URL", replica),
            max_lag_seconds=MAX_LAG_SECONDS,
        )

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncSession]:
        """A session in a transaction, which is committed at the end of the block and rolled back on an error."""
        async with translate_errors(), self._sessions() as session:
            async with session.begin():
                yield session
            if self.replica is not None and WROTE in session.info:
                self.replica.note_write()

    async def read(self, operation: Callable[[AsyncSession], Awaitable[Result]]) -> Result:
        """Run `operation` in a transaction that only reads: on the replica if that is fit, else here.

        It may then miss what other processes wrote lately. What a replica that is away or conflicts with the reading
        does not do is done again here; other errors of `operation` are raised.
        """
        replica = self.replica
        if replica is not None and replica.is_fit:
            # What it does not have may have been written lately.
            with suppress(ReplicaUnavailable, NotFound):
                return await replica.read(operation)
        if replica is not None:
            replica.reads["primary"] += 1
        async with self.begin() as session:
            return await operation(session)

    def connection_counts(self) -> dict[str, int]:
        """The connections of this process: in use, idle, the most that it may have, and those that hold locks."""
        pool, locks = self.engine.pool, self.lock_engine.pool
        if not isinstance(pool, QueuePool) or not isinstance(locks, QueuePool):
            return {}
        counts = {"in_use": pool.checkedout(), "idle": pool.checkedin(), "allowed": pool.size()}
        return counts | {"locks": locks.checkedout()}

    async def aclose(self) -> None:
        await self.engine.dispose()
        await self.lock_engine.dispose()
        if self.replica is not None:
            await self.replica.aclose()

    def _engine(self, url: URL, pool_size: int, *, overflow: int = 0) -> AsyncEngine:
        is_pooled = self.direct_url not in {url, self.url}
        engine = create_async_engine(
            url,
            pool_size=pool_size,
            max_overflow=overflow,
            pool_timeout=self._timeout_seconds,
            # What was used last has its plans and caches ready; connections that only bursts need stay small.
            pool_use_lifo=True,
            pool_recycle=CONNECTION_SECONDS,
            pool_pre_ping=True,
            connect_args=self._connecting(is_pooled=is_pooled),
        )
        if is_pooled:
            _set_in_transactions(engine, self._options)
        return engine

    def _connecting(self, *, is_pooled: bool) -> dict[str, Any]:
        """Parameters of a connection; a pooler takes no options with it, and prepares no statements."""
        own: dict[str, Any] = {"connect_timeout": max(2, int(min(self._timeout_seconds, 10)))}
        if is_pooled:
            return own | {"prepare_threshold": None}
        options = self._options | KEEPALIVE_OPTIONS
        return own | {"options": " ".join(f"-c {name}={value}" for name, value in options.items())}

    @property
    def _options(self) -> dict[str, str]:
        return SESSION_OPTIONS | {"statement_timeout": str(int(self._timeout_seconds * 1000))}


def _set_in_transactions(engine: AsyncEngine, options: Mapping[str, str]) -> None:
    """Set the options at the beginning of every transaction, for a pooler that takes none with a connection."""
    calls = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in options.items())

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT {calls}")


async def driver_connection(session: AsyncSession) -> psycopg.AsyncConnection[tuple[Any, ...]]:
    """The connection of psycopg under a session, for COPY and for libraries that take one."""
    connection = (await (await session.connection()).get_raw_connection()).driver_connection
    assert isinstance(connection, psycopg.AsyncConnection)  # noqa: S101  (the engine's driver is psycopg)
    return connection


async def database_bytes(session: AsyncSession) -> int:
    """The size of the whole database with its indexes."""
    return await session.scalar(select(func.pg_database_size(func.current_database()))) or 0


async def database_time(session: AsyncSession) -> datetime:
    """The time at which the transaction began, by the clock of Postgres."""
    return (await session.scalars(select(func.now()))).one()


def is_transient(error: BaseException) -> bool:
    """Whether the same statement may succeed when Postgres is back or less busy."""
    cause = error.orig if isinstance(error, exc.DBAPIError) else error
    if isinstance(error, exc.TimeoutError) or (isinstance(error, exc.DBAPIError) and error.connection_invalidated):
        return True
    if not isinstance(cause, psycopg.OperationalError | psycopg.errors.LockNotAvailable):
        return False
    return cause.sqlstate is None or TRANSIENT_SQLSTATES.match(cause.sqlstate) is not None


@asynccontextmanager
async def translate_errors() -> AsyncIterator[None]:
    """Raise `DatabaseUnavailable` for transient errors of SQLAlchemy and psycopg, `Conflict` where another request
    deleted or wrote the same rows meanwhile, and `SettingsError` for a pooler that is not named as one; others pass.
    """
    try:
        yield
    except (exc.SQLAlchemyError, psycopg.Error) as error:
        if is_transient(error):
            if UNSUPPORTED_OPTIONS in str(getattr(error, "orig", error)):
                raise SettingsError(
                    "DATABASE_URL is that of a PgBouncer; set DATABASE_DIRECT_URL to the URL of the server behind it."
                ) from error
            raise DatabaseUnavailable(_reason(error)) from error
        if _lost_race(error):
            raise Conflict("Another request changed or deleted this at the same time; look, and try again.") from error
        raise


def _reason(error: Exception) -> str:
    cause = getattr(error, "orig", error)
    # A connection that the server could not open has no SQLSTATE.
    if NO_CONNECTION_LEFT.search(str(cause)):
        return (
            "The database has no connection left for this process; raise its max_connections, or lower "
            "CREDENCE_DATABASE_POOL_SIZE."
        )
    if isinstance(cause, psycopg.errors.DiskFull) or os.strerror(errno.ENOSPC) in str(cause):
        return "The disk of the database is full; nothing can be stored until there is space on it."
    if isinstance(cause, psycopg.errors.QueryCanceled):
        return "The database took longer than CREDENCE_DATABASE_TIMEOUT_SECONDS; try again, or raise that."
    return "The database does not answer at present; try again in a few seconds."


def _lost_race(error: Exception) -> bool:
    """Whether rows that a transaction had seen were deleted, or rows that it added came from another, meanwhile."""
    if isinstance(error, orm_exc.StaleDataError | orm_exc.ObjectDeletedError):
        return True
    raced = psycopg.errors.ForeignKeyViolation | psycopg.errors.UniqueViolation
    return isinstance(error, exc.IntegrityError) and isinstance(error.orig, raced)
