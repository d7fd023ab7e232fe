"""Backups: one file with the rows of every table, and a manifest of what must be there once it is restored.

All of one snapshot, so that a backup is consistent while others write. The file is a zip of the texts that `COPY`
writes, which can be loaded without Credence too. A restore builds the schema by our own migrations and copies rows into
it (`registry.platform.database.restore`).
"""

import hashlib
import hmac
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from pydantic import BaseModel, Field, SecretStr, ValidationError
from sqlalchemy.engine import URL

from estimator.errors import DISTRIBUTION
from registry.platform.database.engine import is_transient, libpq_url
from registry.platform.errors import DatabaseUnavailable, InvalidInput, RegistryError

MANIFEST, SIGNATURE = "manifest.json", "manifest.hmac"
CHUNK_BYTES = 2**20
MAX_MANIFEST_BYTES = 2**20
# What rows look like as text must not depend on the server.
FORMATS = "SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'postgres'"
# The migrations write it.
REVISION_TABLE = "public.alembic_version"
# Of partitions only the whole.
TABLES = """
    SELECT namespace.nspname, relation.relname
    FROM pg_class AS relation JOIN pg_namespace AS namespace ON namespace.oid = relation.relnamespace
    WHERE namespace.nspname IN ('public', 'procrastinate') AND relation.relkind IN ('r', 'p')
        AND NOT relation.relispartition
    ORDER BY 1, 2
"""
COLUMNS = """
    SELECT attname FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
"""
SEQUENCES = """
    SELECT schemaname || '.' || sequencename, last_value FROM pg_sequences
    WHERE schemaname IN ('public', 'procrastinate') AND last_value IS NOT NULL ORDER BY 1
"""
Connection = psycopg.Connection[tuple[Any, ...]]


class BackupFailed(RegistryError):
    """A backup could not be written or restored; the database is as it was."""


class TableSum(BaseModel):
    """Row count and digest of a table."""

    rows: int = Field(description="Its rows.")
    checksum: str = Field(description="The sum of the hashes of all rows, whatever their order.")


class Table(TableSum):
    columns: list[str] = Field(description="In the order of its rows.")
    sha256: str = Field(description="The SHA-256 of its rows as `COPY` wrote them.")


class Manifest(BaseModel):
    """The content of a backup."""

    created_at: datetime = Field(description="When its snapshot was taken.")
    credence: str = Field(description="The version of Credence.")
    revision: str = Field(description="The revision of the schema.")
    tables: dict[str, Table] = Field(description="By schema and name.")
    sequences: dict[str, int] = Field(description="The last value of each, by schema and name.")

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(table.rows for table in self.tables.values())


def back_up(url: URL, path: Path, key: SecretStr | None = None) -> Manifest:
    """Write a backup of the database to `path`, which is replaced when it is complete, signed with `key` if given.

    Raises `InvalidInput` for a database without a schema, and where the file cannot be written.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        with connected(url) as connection, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            found = sums(connection)
            if REVISION_TABLE not in found:
                raise InvalidInput("There is nothing to back up: the database has no schema.")
            manifest = Manifest(
                created_at=datetime.now(UTC),
                credence=version(DISTRIBUTION),
                revision=str(scalar(connection, "SELECT version_num FROM alembic_version")),
                tables={name: _write(connection, archive, name, held) for name, held in found.items()},
                sequences=dict(connection.execute(SEQUENCES).fetchall()),
            )
            written = manifest.model_dump_json(indent=2)
            archive.writestr(MANIFEST, written)
            if key is not None:
                archive.writestr(SIGNATURE, _signature(key, written.encode()))
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return manifest


def check(path: Path, key: SecretStr | None = None) -> Manifest:
    """The manifest of a backup; raises `InvalidInput` if it is no backup, was damaged, or is not signed with `key`."""
    with opened(path) as (archive, manifest):
        if key is not None and not _is_signed(archive, key):
            raise InvalidInput(f"{path} is not signed with the key of CREDENCE_BACKUP_KEY.")
        for name, table in manifest.tables.items():
            digest = hashlib.sha256()
            with archive.open(name) as rows:
                while chunk := rows.read(CHUNK_BYTES):
                    digest.update(chunk)
            if digest.hexdigest() != table.sha256:
                raise InvalidInput(f"{path} is damaged: the checksum of {name} is not that of its manifest.")
        return manifest


def sums(connection: Connection) -> dict[str, TableSum]:
    """Rows and checksum of every table."""
    connection.execute(FORMATS)
    result = {}
    for schema, name in connection.execute(TABLES).fetchall():
        statement = sql.SQL("SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)), 0)::text FROM {} AS t")
        row = connection.execute(statement.format(sql.Identifier(schema, name))).fetchone()
        if row is not None:
            result[f"{schema}.{name}"] = TableSum(rows=row[0], checksum=row[1])
    return result


def _write(connection: Connection, archive: zipfile.ZipFile, name: str, held: TableSum) -> Table:
    columns, digest = columns_of(connection, name), hashlib.sha256()
    # A partitioned table can be copied from by a query alone.
    rows = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(column_list(columns), identifier(name))
    with archive.open(name, "w", force_zip64=True) as target, connection.cursor().copy(rows) as copy:
        for data in copy:
            target.write(data)
            digest.update(data)
    return Table(**held.model_dump(), columns=columns, sha256=digest.hexdigest())


def columns_of(connection: Connection, name: str) -> list[str]:
    """The columns of a table, without computed ones."""
    return [column for (column,) in connection.execute(COLUMNS, (name,)).fetchall()]


def column_list(columns: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))


def identifier(name: str) -> sql.Identifier:
    """A table in SQL, by schema and name."""
    return sql.Identifier(*name.split(".", 1))


def _signature(key: SecretStr, manifest: bytes) -> str:
    return hmac.new(key.get_secret_value().encode(), manifest, "sha256").hexdigest()


def _is_signed(archive: zipfile.ZipFile, key: SecretStr) -> bool:
    signature = archive.read(SIGNATURE).decode("ascii", "replace") if SIGNATURE in archive.namelist() else ""
    return hmac.compare_digest(signature, _signature(key, archive.read(MANIFEST)))


@contextmanager
def opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """The file and its manifest; raises `InvalidInput` as `check` does."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
                raise InvalidInput(f"{path} has a manifest that is too long to be one.")
            yield archive, Manifest.model_validate_json(archive.read(MANIFEST))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except (zipfile.BadZipFile, zlib.error, KeyError, ValidationError) as error:
        raise InvalidInput(f"{path} is no backup of Credence, or was damaged.") from error


@contextmanager
def connected(url: URL) -> Iterator[Connection]:
    """A connection, in a transaction that is committed at the end."""
    try:
        with psycopg.connect(libpq_url(url), connect_timeout=10) as connection:
            yield connection
    except psycopg.Error as error:
        if is_transient(error):
            raise DatabaseUnavailable("The database does not answer.") from error
        raise


def scalar(connection: Connection, statement: str) -> object:
    """The only value that a statement returns."""
    row = connection.execute(statement.encode()).fetchone()
    return None if row is None else row[0]
