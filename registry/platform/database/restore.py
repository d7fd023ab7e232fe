"""Backups, restored: rows are copied into the schema of our migrations, so that nothing a backup holds is run."""

import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import cast

import psycopg
import sqlalchemy
from psycopg import sql
from pydantic import SecretStr
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from registry.platform.database.backup import (
    CHUNK_BYTES,
    FORMATS,
    REVISION_TABLE,
    TABLES,
    BackupFailed,
    Connection,
    Manifest,
    TableSum,
    check,
    column_list,
    columns_of,
    connected,
    identifier,
    opened,
    scalar,
    sums,
)
from registry.platform.errors import Conflict

CLEAN = "DROP SCHEMA IF EXISTS procrastinate CASCADE; DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public"
FOREIGN_KEYS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype = 'f' AND conparentid = 0 AND connamespace IN ('public'::regnamespace, 'procrastinate'::regnamespace)
"""
# A superuser, as that of the embedded server is, takes rows of others as a role that may write rows and nothing else.
WRITER = "SELECT set_config('role', 'pg_write_all_data', true) WHERE current_setting('is_superuser') = 'on'"
OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
# Postgres lists a connection for a moment after it was closed.
CLOSING_SECONDS = 2.0


def restore(
    url: URL,
    path: Path,
    build_schema: Callable[[sqlalchemy.Connection, str], None],
    pause: Callable[[sqlalchemy.Connection], None],
    *,
    key: SecretStr | None = None,
    replace: bool = False,
) -> Manifest:
    """Restore a backup in one transaction, into the schema that `build_schema` builds for its revision, and compare
    every table with the manifest. Without a key, whoever made it, `pause` leaves nothing that would be done by itself.

    Raises `Conflict` if the database is not empty, unless with `replace`, or while others use it; `InvalidInput` as
    `check` does; `BackupFailed` where the rows are none of this schema or not those of the manifest.
    """
    manifest = check(path, key)
    with connected(url) as connection:
        _require_place(connection, replace=replace)
    engine = sqlalchemy.create_engine(url, poolclass=NullPool)
    try:
        with opened(path) as (archive, _), engine.begin() as building:
            driver = cast("Connection", building.connection.driver_connection)
            driver.execute(CLEAN)
            build_schema(building, manifest.revision)
            _load(driver, archive, manifest)
            if key is None:
                pause(building)
    except psycopg.Error as error:
        raise BackupFailed(f"The rows are none of this schema: {str(error)[:500]}") from error
    finally:
        engine.dispose()
    return manifest


def _load(connection: Connection, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Fill the tables of a new schema; raises `BackupFailed` where these, or what they hold then, are others."""
    connection.execute(FORMATS)
    expected = {name: columns_of(connection, name) for name in sums(connection)}
    if {name: sorted(table.columns) for name, table in manifest.tables.items()} != {
        name: sorted(columns) for name, columns in expected.items()
    }:
        raise BackupFailed(f"Its tables and columns are not those of revision {manifest.revision}.")
    if {name.partition(".")[0] for name in manifest.sequences} - {"public", "procrastinate"}:
        raise BackupFailed(f"Its sequences are not those of revision {manifest.revision}.")
    loaded = [name for name in manifest.tables if name != REVISION_TABLE]
    with _without_rules(connection, loaded):
        connection.execute(WRITER)
        for name in loaded:
            columns = column_list(manifest.tables[name].columns)
            rows = sql.SQL("COPY {} ({}) FROM STDIN").format(identifier(name), columns)
            with archive.open(name) as source, connection.cursor().copy(rows) as copy:
                while chunk := source.read(CHUNK_BYTES):
                    copy.write(chunk)
        for name, value in manifest.sequences.items():
            connection.execute("SELECT setval(%s::regclass, %s)", (name, value))
        connection.execute("RESET ROLE")
    different = _different(manifest.tables, sums(connection))
    if different:
        raise BackupFailed(f"What was restored is not what was backed up: {', '.join(different)} differ.")


@contextmanager
def _without_rules(connection: Connection, tables: list[str]) -> Iterator[None]:
    """Empty tables without triggers and foreign keys for the block, whatever the order of their rows."""
    keys = connection.execute(FOREIGN_KEYS).fetchall()
    for table, name, _ in keys:
        drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(sql.SQL(table), sql.Identifier(name))
        connection.execute(drop)
    for table in tables:
        connection.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(identifier(table)))
        connection.execute(sql.SQL("DELETE FROM {}").format(identifier(table)))
    yield
    for table in tables:
        connection.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(identifier(table)))
    for table, name, definition in keys:
        add = sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {}")
        connection.execute(add.format(sql.SQL(table), sql.Identifier(name), sql.SQL(definition)))


def _different(written: Mapping[str, TableSum], found: Mapping[str, TableSum]) -> list[str]:
    return [
        name
        for name, table in written.items()
        if (table.rows, table.checksum) != (found[name].rows, found[name].checksum)
    ]


def _require_place(connection: Connection, *, replace: bool) -> None:
    if connection.execute(TABLES).fetchall() and not replace:
        raise Conflict("The database is not empty. Restore into an empty one, or lose what is there with --replace.")
    require_alone(connection)


def require_alone(connection: Connection) -> None:
    """Raises `Conflict` while others use the database."""
    deadline = monotonic() + CLOSING_SECONDS
    while others := scalar(connection, OTHERS):
        if monotonic() > deadline:
            raise Conflict(f"{others} others use the database. Stop the service and its workers first.")
        sleep(0.05)
        # Within a transaction, what was seen of other connections stays as it was.
        connection.execute("SELECT pg_stat_clear_snapshot()")
