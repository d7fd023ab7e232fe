"""Upgrade, downgrade, inspect: Alembic driven from Python, imported only when it is used."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from migrations import compatibility
from registry.platform.database.engine import Database, is_transient
from registry.platform.errors import DatabaseUnavailable, RegistryError, SchemaOutdated

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

FOLDER = Path(__file__).parent
# One migrator at a time; any other number would do, as long as all of them take the same.
MIGRATION_LOCK = 0x43726564
CONNECT_SECONDS = 10


class MigrationFailed(RegistryError):
    """A migration or the comparison of models and schema did not succeed; the database is as it was."""


def upgrade(url: URL, revision: str = "head") -> None:
    """Bring the schema up to `revision`."""
    _run(url, "upgrade", revision)


def build(connection: Connection, revision: str) -> None:
    """Build the schema of a revision in the transaction of the connection, whose database is empty.

    Raises `SchemaOutdated` for a revision that is newer than this code.
    """
    from alembic import command

    require_known(revision)
    command.upgrade(_config(connection), revision)


def downgrade(url: URL, revision: str) -> None:
    """Take the schema back to `revision`; `base` is an empty database."""
    _run(url, "downgrade", revision)


def check(url: URL) -> None:
    """Raise `MigrationFailed` if the models differ from what the migrations build."""
    _run(url, "check")


def revise(url: URL, message: str) -> None:
    """Write a new migration from the difference between models and schema."""
    _run(url, "revision", message, autogenerate=True)


@cache
def head() -> str:
    """The revision this code was written for."""
    revision = _scripts().get_current_head()
    if revision is None:
        raise MigrationFailed("There are no migrations.")
    return revision


def current(url: URL) -> str | None:
    """The revision of the database, or None if it is empty."""
    return read_schema(url).revision


@dataclass(frozen=True, slots=True)
class Schema:
    """The revision of a database, None if it is empty, and the oldest code that runs on it, if that is declared."""

    revision: str | None
    oldest_code: str | None = None


def read_schema(url: URL) -> Schema:
    with _connect(url) as connection:
        return _schema(connection)


async def check_schema(database: Database) -> None:
    """Raise `SchemaOutdated` unless this code runs on the schema of the database."""
    async with database.begin() as session:
        schema = await session.run_sync(lambda session: _schema(session.connection()))
    require_runnable(schema)


def require_runnable(schema: Schema) -> None:
    """Raise `SchemaOutdated` unless this code runs on the schema.

    It does on that of its own revision, and on newer ones that declare it.
    """
    if schema.revision is None:
        raise SchemaOutdated("The database has no schema yet. Run `credence migrate upgrade`.")
    newer = schema.revision not in _known() and schema.oldest_code in _known()
    if newer or schema.revision == head():
        return
    require_known(schema.revision)
    raise SchemaOutdated(
        f"The database is at revision {schema.revision}, older than this code. Run `credence migrate upgrade`."
    )


def is_older(schema: Schema) -> bool:
    return schema.revision is None or (schema.revision in _known() and schema.revision != head())


def require_known(revision: str | None) -> None:
    """Raise `SchemaOutdated` for a revision that is newer than this code."""
    if revision not in _known():
        raise SchemaOutdated(f"Revision {revision} is unknown to this code. Install a newer Credence.")


def check_compatibility(url: URL) -> str:
    """Compare the newest schema with that of the oldest code that it declares, which is returned.

    Builds the schema of the database anew, so that it must be one made for this. Raises `MigrationFailed`
    where the oldest code would not run.
    """
    oldest = read_schema(url).oldest_code
    if oldest is None:
        raise MigrationFailed("The schema declares no oldest code.")
    if oldest != head():
        with _connect(url) as connection:
            newer = compatibility.tables(connection)
        downgrade(url, "base")
        upgrade(url, oldest)
        with _connect(url) as connection:
            problems = compatibility.incompatibilities(compatibility.tables(connection), newer)
        upgrade(url)
        if problems:
            raise MigrationFailed(
                f"Code of revision {oldest} does not run on this schema: {'; '.join(problems)}. Let the migration do no"
                " more than add, or call `declare_oldest_code` in it."
            )
    return oldest


@cache
def _known() -> frozenset[str]:
    return frozenset(script.revision for script in _scripts().walk_revisions())


def _schema(connection: Connection) -> Schema:
    from alembic.runtime.migration import MigrationContext

    return Schema(MigrationContext.configure(connection).get_current_revision(), compatibility.oldest_code(connection))


def _scripts() -> "ScriptDirectory":
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config())


def _config(connection: Connection | None = None) -> "Config":
    from alembic.config import Config

    # Alembic prints its findings; whoever calls hears of them by what is raised.
    config = Config(stdout=StringIO())
    config.set_main_option("script_location", str(FOLDER))
    config.set_main_option("file_template", "%%(year)d-%%(month).2d-%%(day).2d-%%(hour).2d%%(minute).2d_%%(slug)s")
    config.attributes["connection"] = connection
    return config


def _run(url: URL, name: str, *arguments: str, **options: bool) -> None:
    """Run one of Alembic's commands."""
    from alembic import command
    from alembic.util.exc import CommandError

    try:
        with _connect(url) as connection:
            connection.exec_driver_sql("SELECT pg_advisory_lock(%s)", (MIGRATION_LOCK,))
            connection.commit()
            getattr(command, name)(_config(connection), *arguments, **options)
    except CommandError as error:
        raise MigrationFailed(str(error)) from error


@contextmanager
def _connect(url: URL) -> Iterator[Connection]:
    engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": CONNECT_SECONDS})
    try:
        with engine.connect() as connection:
            yield connection
    except SQLAlchemyError as error:
        if is_transient(error):
            raise DatabaseUnavailable("The database does not answer, or a lock was not had in time.") from error
        raise
