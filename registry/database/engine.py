"""The database engine of a process, its transactions, and the translation of driver errors."""

import errno
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from pydantic import SecretStr
from sqlalchemy import Connection, event, exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import exc as orm_exc
from sqlalchemy.pool import NullPool

from registry.database import embedded
from registry.errors import Conflict, DatabaseUnavailable, SettingsError
from registry.settings import Settings

# Compiling the plans of partitioned searches costs more than it saves. The rankings of a hundred sources' passages
# are sorted in memory with this work_mem.
SESSION_OPTIONS = {"timezone": "UTC", "jit": "off", "work_mem": "16MB"}
# The connections of a machine that is gone are closed, and its locks freed, after a minute instead of two hours.
KEEPALIVE_OPTIONS = {"tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3"}
# What PgBouncer says of the options above.
UNSUPPORTED_OPTIONS = "unsupported startup parameter"
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

    def __init__(self, url: URL, *, pool_size: int, timeout_seconds: float, direct_url: URL | None = None) -> None:
        """With a `direct_url`, `url` may be that of a pooler whose connections keep no state between transactions."""
        options = SESSION_OPTIONS | {"statement_timeout": str(int(timeout_seconds * 1000))}
        connecting = {"connect_timeout": max(2, int(min(timeout_seconds, 10)))}
        of_session = connecting | {
            "options": " ".join(f"-c {name}={value}" for name, value in (options | KEEPALIVE_OPTIONS).items())
        }
        self.url = url
        self.direct_url = direct_url or url
        self.engine: AsyncEngine = create_async_engine(
            url,
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=timeout_seconds,
            pool_pre_ping=True,
            connect_args=of_session if direct_url is None else connecting | {"prepare_threshold": None},
        )
        self.direct_engine = self.engine
        if direct_url is not None:
            _set_in_transactions(self.engine, options)
            self.direct_engine = create_async_engine(direct_url, poolclass=NullPool, connect_args=of_session)
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False)

    @classmethod
    def from_settings(cls, settings: Settings) -> "Database":
        """The database that the settings name; see `resolve_url`."""
        return cls(
            resolve_url(settings),
            pool_size=settings.database_pool_size,
            timeout_seconds=settings.database_timeout_seconds,
            direct_url=resolve_direct_url(settings) if settings.database_direct_url is not None else None,
        )

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncSession]:
        """A session in a transaction, which is committed at the end of the block and rolled back on an error."""
        async with translate_errors(), self._sessions() as session, session.begin():
            yield session

    async def aclose(self) -> None:
        """Close all connections."""
        await self.engine.dispose()
        await self.direct_engine.dispose()


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
    if isinstance(cause, psycopg.errors.DiskFull) or os.strerror(errno.ENOSPC) in str(cause):
        return "The disk of the database is full; nothing can be stored until there is space on it."
    return "The database does not answer at present; try again in a few seconds."


def _lost_race(error: Exception) -> bool:
    """Whether rows that a transaction had seen were deleted, or rows that it added came from another, meanwhile."""
    if isinstance(error, orm_exc.StaleDataError | orm_exc.ObjectDeletedError):
        return True
    raced = psycopg.errors.ForeignKeyViolation | psycopg.errors.UniqueViolation
    return isinstance(error, exc.IntegrityError) and isinstance(error.orig, raced)
