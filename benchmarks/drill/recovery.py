"""Recovery to a moment by PostgreSQL's own means, as the page on operations describes it."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote

import psycopg
from sqlalchemy.engine import make_url

from benchmarks.drill.service import Promise
from migrations import control
from registry.platform.database import embedded
from registry.platform.database.binaries import binary

ARCHIVING = ("archive_mode = on", "wal_level = replica", "archive_timeout = 60")
COUNT = "SELECT count(*) FROM sources"
WRITE = (
    "INSERT INTO sources (id, corpus_id, external_id, name, description, attributes, status)"
    " SELECT gen_random_uuid(), id, %(name)s || number, %(name)s, '', '{}', 'active'"
    " FROM corpora, generate_series(1, 100) AS number"
)


async def recoveries(folder: Path, count: int) -> list[Promise]:
    """A base backup and the archived log bring back all rows of the moment before they were deleted by mistake."""
    losses = 0
    for number in range(count):
        losses += not await asyncio.to_thread(_recovers, folder / f"moment-{number}")
    return [Promise("the database goes back to the moment before a mistake", count, losses)]


def _recovers(folder: Path) -> bool:
    archive, base = folder / "archive", folder / "base"
    archive.mkdir(parents=True)
    # The server runs as another user where this is root.
    archive.chmod(0o777)
    url = embedded.start(folder / "lost")
    _configure(url, [*ARCHIVING, f"archive_command = 'cp %p {archive}/%f'"])
    embedded.stop(folder / "lost")
    url = embedded.start(folder / "lost")
    try:
        control.upgrade(make_url(url).set(drivername="postgresql+psycopg"))
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(WRITE, {"name": "before"})
            socket = unquote(url.partition("host=")[2])
            options = ["--pgdata", str(base), "--host", socket, "--username", "postgres", "--checkpoint", "fast"]
            _run("pg_basebackup", *options)
            connection.execute(WRITE, {"name": "after"})
            (moment,) = connection.execute("SELECT clock_timestamp()::text").fetchone() or ("",)
            connection.execute("DELETE FROM sources")
            connection.execute("SELECT pg_switch_wal()")
    finally:
        embedded.stop(folder / "lost")
    return _rows_at(moment, archive, base, folder / "recovered") == 200


def _rows_at(moment: str, archive: Path, base: Path, data_dir: Path) -> int:
    """The sources of a new server that recovers a base backup up to a moment."""
    data_dir.mkdir()
    recovered = data_dir / "postgres"
    shutil.move(base, recovered)
    with (recovered / "postgresql.auto.conf").open("a") as settings:
        settings.write(f"restore_command = 'cp {archive}/%f %p'\nrecovery_target_time = '{moment}'\n")
        settings.write("recovery_target_action = 'promote'\narchive_mode = off\n")
    (recovered / "recovery.signal").touch()
    if os.geteuid() == 0:
        for path in (recovered, *recovered.rglob("*")):
            shutil.chown(path, "pgserver", "pgserver")
    url = embedded.start(data_dir)
    try:
        with psycopg.connect(url) as connection:
            (rows,) = connection.execute(COUNT).fetchone() or (0,)
            return int(rows)
    finally:
        embedded.stop(data_dir)


def _configure(url: str, settings: list[str]) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in settings:
            connection.execute(f"ALTER SYSTEM SET {setting}".encode())


def _run(program: str, *arguments: str) -> None:
    subprocess.run([str(binary(program)), *arguments], check=True, capture_output=True)
