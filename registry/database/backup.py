"""Backups: one file with a dump of the database, and a manifest of what must be there once it is restored.

Written by `pg_dump` from one snapshot, so that it is consistent while others write; the rows and checksums in the
manifest are of the same snapshot. The dump is in the custom format of PostgreSQL, and the file is a zip, so that both
can be taken out and used without Credence.
"""

import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

import psycopg
from psycopg import sql
from pydantic import BaseModel, Field, ValidationError
from sqlalchemy.engine import URL

from estimator.errors import DISTRIBUTION
from registry.database.binaries import VERSION, binary
from registry.database.engine import is_transient, libpq_url
from registry.errors import Conflict, DatabaseUnavailable, InvalidInput, RegistryError, SettingsError

MANIFEST, DUMP = "manifest.json", "database.dump"
CHUNK_BYTES = 2**20
DUMP_OPTIONS = ["--format=custom", "--no-owner", "--no-privileges", "--no-comments"]
RESTORE_OPTIONS = ["--no-owner", "--no-privileges", "--no-comments", "--file=-"]
# All in one transaction; with `--clean`, `pg_restore` would drop the parts of partitions, which Postgres refuses.
CLEAN = "DROP SCHEMA IF EXISTS procrastinate CASCADE; DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public"
# For the index of embeddings, as `registry.store.passages.index_maintenance` builds it.
BUILD_MEMORY = "SET maintenance_work_mem = '1GB'"
LOAD_OPTIONS = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
# Of partitions only the whole.
TABLES = """
    SELECT namespace.nspname, relation.relname
    FROM pg_class AS relation JOIN pg_namespace AS namespace ON namespace.oid = relation.relnamespace
    WHERE namespace.nspname IN ('public', 'procrastinate') AND relation.relkind IN ('r', 'p')
        AND NOT relation.relispartition
    ORDER BY 1, 2
"""
OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
# Postgres lists a connection for a moment after it was closed.
CLOSING_SECONDS = 2.0
Connection = psycopg.Connection[tuple[Any, ...]]


class BackupFailed(RegistryError):
    """A backup could not be written or restored; the database is as it was."""


class TableSum(BaseModel):
    """What a table holds."""

    rows: int = Field(description="Its rows.")
    checksum: str = Field(description="The sum of the hashes of all rows, whatever their order.")


class Manifest(BaseModel):
    """What a backup holds."""

    created_at: datetime = Field(description="When its snapshot was taken.")
    credence: str = Field(description="The version of Credence.")
    revision: str | None = Field(description="The revision of the schema.")
    postgres: int = Field(description="The major version of PostgreSQL.")
    bytes: int = Field(description="The length of the dump.")
    sha256: str = Field(description="The SHA-256 of the dump.")
    tables: dict[str, TableSum] = Field(description="By schema and name.")

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(table.rows for table in self.tables.values())


def back_up(url: URL, path: Path) -> Manifest:
    """Write a backup of the database to `path`, which is replaced when it is complete.

    Raises `InvalidInput` for a database without a schema, `BackupFailed` with what `pg_dump` said.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        with _connected(url) as connection, zipfile.ZipFile(partial, "w") as archive:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            snapshot = _scalar(connection, "SELECT pg_export_snapshot()")
            tables = sums(connection)
            if not tables:
                raise InvalidInput("There is nothing to back up: the database has no schema.")
            created_at, postgres = datetime.now(UTC), connection.info.server_version // 10_000
            with archive.open(DUMP, "w", force_zip64=True) as target:
                length, digest = _dump(url, postgres, str(snapshot), target)
            manifest = Manifest(
                created_at=created_at,
                credence=version(DISTRIBUTION),
                revision=_revision(connection),
                postgres=postgres,
                bytes=length,
                sha256=digest,
                tables=tables,
            )
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return manifest


def check(path: Path) -> Manifest:
    """The manifest of a backup; raises `InvalidInput` if it is no backup or was damaged."""
    with _opened(path) as (archive, manifest):
        digest = hashlib.sha256()
        with archive.open(DUMP) as dump:
            while chunk := dump.read(CHUNK_BYTES):
                digest.update(chunk)
        if digest.hexdigest() != manifest.sha256:
            raise InvalidInput(f"{path} is damaged: its checksum is not that of its manifest.")
        return manifest


def restore(url: URL, path: Path, *, replace: bool = False) -> Manifest:
    """Restore a backup in one transaction and compare every table with the manifest.

    Raises `Conflict` if the database is not empty, unless with `replace`, or while others use it; `InvalidInput` as
    `check` does; `BackupFailed` with what the programs said.
    """
    manifest = check(path)
    with _connected(url) as connection:
        _require_place(connection, replace=replace)
        postgres = connection.info.server_version // 10_000
    with _opened(path) as (archive, _), archive.open(DUMP) as dump:
        _load(url, postgres, dump)
    with _connected(url) as connection:
        different = [name for name, table in sums(connection).items() if manifest.tables.get(name) != table]
    if different:
        raise BackupFailed(f"What was restored is not what was backed up: {', '.join(different)} differ.")
    return manifest


def sums(connection: Connection) -> dict[str, TableSum]:
    """Rows and checksum of every table."""
    connection.execute("SET LOCAL timezone = 'UTC'")
    result = {}
    for schema, name in connection.execute(TABLES).fetchall():
        statement = sql.SQL("SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)), 0)::text FROM {} AS t")
        row = connection.execute(statement.format(sql.Identifier(schema, name))).fetchone()
        if row is not None:
            result[f"{schema}.{name}"] = TableSum(rows=row[0], checksum=row[1])
    return result


def _require_place(connection: Connection, *, replace: bool) -> None:
    if connection.execute(TABLES).fetchall() and not replace:
        raise Conflict("The database is not empty. Restore into an empty one, or lose what is there with --replace.")
    deadline = monotonic() + CLOSING_SECONDS
    while others := _scalar(connection, OTHERS):
        if monotonic() > deadline:
            raise Conflict(f"{others} others use the database. Stop the service and its workers before you restore.")
        sleep(0.05)
        # Within a transaction, what was seen of other connections stays as it was.
        connection.execute("SELECT pg_stat_clear_snapshot()")


def _dump(url: URL, postgres: int, snapshot: str, target: IO[bytes]) -> tuple[int, str]:
    """Write a dump; returns its length and SHA-256."""
    length, digest = 0, hashlib.sha256()
    with _program(
        "pg_dump", url, postgres, [*DUMP_OPTIONS, f"--snapshot={snapshot}"], stdout=subprocess.PIPE
    ) as process:
        while process.stdout is not None and (chunk := process.stdout.read(CHUNK_BYTES)):
            target.write(chunk)
            digest.update(chunk)
            length += len(chunk)
    return length, digest.hexdigest()


def _load(url: URL, postgres: int, dump: IO[bytes]) -> None:
    pipe = subprocess.PIPE
    with _program("pg_restore", None, postgres, RESTORE_OPTIONS, stdin=pipe, stdout=pipe) as script:
        load = [*LOAD_OPTIONS, f"--command={BUILD_MEMORY}", f"--command={CLEAN}", "--file=-"]
        with _program("psql", url, postgres, load, stdin=script.stdout) as loading:
            if script.stdin is None or script.stdout is None:
                return
            script.stdout.close()
            with suppress(BrokenPipeError):  # one of them ended; why is in its output
                shutil.copyfileobj(dump, script.stdin, CHUNK_BYTES)
            with suppress(BrokenPipeError):
                script.stdin.close()
            loading.wait()


@contextmanager
def _program(
    name: str,
    url: URL | None,
    postgres: int,
    arguments: Sequence[str],
    *,
    stdin: int | IO[bytes] | None = None,
    stdout: int | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A program of PostgreSQL at work on the database; raises `BackupFailed` if it does not succeed."""
    program = binary(name) if postgres <= VERSION else shutil.which(name)
    if program is None:
        raise SettingsError(f"{name} of PostgreSQL {postgres} is not on the PATH.")
    # The password is no argument, which all users of the machine could see.
    environment = os.environ | ({"PGPASSWORD": str(url.password)} if url is not None and url.password else {})
    database = [f"--dbname={libpq_url(url._replace(password=None))}"] if url is not None else []
    with subprocess.Popen(  # noqa: S603  (no input of others)
        [program, *database, *arguments], env=environment, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE
    ) as process:
        yield process
        errors = process.stderr.read().decode(errors="replace") if process.stderr is not None else ""
        if process.wait() != 0:
            raise BackupFailed(f"{name} failed: {errors.strip()[:500]}")


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive, Manifest.model_validate_json(archive.read(MANIFEST))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except (zipfile.BadZipFile, KeyError, ValidationError) as error:
        raise InvalidInput(f"{path} is no backup of Credence, or was damaged.") from error


@contextmanager
def _connected(url: URL) -> Iterator[Connection]:
    try:
        with psycopg.connect(libpq_url(url), connect_timeout=10) as connection:
            yield connection
    except psycopg.Error as error:
        if is_transient(error):
            raise DatabaseUnavailable("The database does not answer.") from error
        raise


def _revision(connection: Connection) -> str | None:
    if _scalar(connection, "SELECT to_regclass('public.alembic_version')") is None:
        return None
    return str(_scalar(connection, "SELECT version_num FROM alembic_version"))


def _scalar(connection: Connection, statement: str) -> object:
    row = connection.execute(statement.encode()).fetchone()
    return None if row is None else row[0]
