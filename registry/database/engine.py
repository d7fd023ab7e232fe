"""The gate to Postgres: one engine a process, sessions for those who commit, foreign errors translated."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from sqlalchemy import exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

from registry.database import embedded
from registry.errors import DatabaseUnavailable, SettingsError
from registry.settings import Settings

# Plans of partitioned searches cost less than a millisecond; compiling them costs more than it saves.
# Rankings of a hundred sources' passages are sorted in memory.
SESSION_OPTIONS = {"timezone": "UTC", "jit": "off", "work_mem": "16MB"}
# SQLSTATE classes after which the same request may succeed: connection, resources, operator intervention, locks.
TRANSIENT = re.compile("^(08|53|57|55P03|40)")


def resolve_url(settings: Settings) -> URL:
    """DATABASE_URL for psycopg, or the URL of the embedded server, which this starts."""
    raw = settings.database_url.get_secret_value() if settings.database_url else embedded.start(settings.data_dir)
    try:
        url = make_url(raw)
    except exc.ArgumentError as error:
        raise SettingsError(
            "DATABASE_URL is not a URL; it should look like postgresql://user:secret@host/name"
        ) from error
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        raise SettingsError(f"DATABASE_URL names {url.get_backend_name()!r}; Credence runs on PostgreSQL only.")
    return url.set(drivername="postgresql+psycopg")


def libpq_url(url: URL) -> str:
    """The same address for those who speak to libpq directly."""
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


class Database:
    """An engine and its sessions. Whoever opens a session commits it; everybody else is handed one."""

    def __init__(self, url: URL, *, pool_size: int, timeout_seconds: float) -> None:
        options = SESSION_OPTIONS | {"statement_timeout": str(int(timeout_seconds * 1000))}
        self.url = url
        self.engine: AsyncEngine = create_async_engine(
            url,
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=timeout_seconds,
            pool_pre_ping=True,
            connect_args={
                "connect_timeout": max(2, int(min(timeout_seconds, 10))),
                "options": " ".join(f"-c {name}={value}" for name, value in options.items()),
            },
        )
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False)

    @classmethod
    def from_settings(cls, settings: Settings) -> "Database":
        """The database the settings name, started if it is the embedded one."""
        return cls(
            resolve_url(settings),
            pool_size=settings.database_pool_size,
            timeout_seconds=settings.database_timeout_seconds,
        )

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncSession]:
        """A session in a transaction: committed at the end, rolled back on an error."""
        with_errors = translate_errors()
        async with with_errors, self._sessions() as session, session.begin():
            yield session

    async def aclose(self) -> None:
        """Close all connections."""
        await self.engine.dispose()


def is_transient(error: BaseException) -> bool:
    """Whether the same statement may succeed later, when Postgres is back or less busy."""
    cause = error.orig if isinstance(error, exc.DBAPIError) else error
    if isinstance(error, exc.TimeoutError) or (isinstance(error, exc.DBAPIError) and error.connection_invalidated):
        return True
    if not isinstance(cause, psycopg.OperationalError | psycopg.errors.LockNotAvailable):
        return False
    return cause.sqlstate is None or TRANSIENT.match(cause.sqlstate) is not None


@asynccontextmanager
async def translate_errors() -> AsyncIterator[None]:
    """The one gate at which driver errors that a user should hear of become ours."""
    try:
        yield
    except (exc.SQLAlchemyError, psycopg.Error) as error:
        if is_transient(error):
            raise DatabaseUnavailable("The database does not answer at present; try again in a few seconds.") from error
        raise
