"""Backups under writes are restored as they were, and damaged ones are refused."""

import os
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import URL

from registry.database import backup
from registry.database.backup import DUMP, MANIFEST, BackupFailed
from registry.database.engine import libpq_url
from registry.errors import Conflict, InvalidInput
from registry.models import Corpus
from registry.runtime import Runtime
from tests.registry.world import TOWERS, build, honest, liar

# DRILLS=10 is the full drill.
DRILLS = int(os.environ.get("DRILLS", "1"))


@pytest.fixture
async def filled(runtime: Runtime, corpus: Corpus) -> URL:
    await build(runtime, corpus, {"herald": honest(), "rumour": liar("Brin")}, TOWERS)
    return runtime.database.url


@contextmanager
def writes(url: URL) -> Iterator[Callable[[], int]]:
    """Events are added one after the other, each in a transaction of its own; the function tells how many."""
    stop, added = threading.Event(), 0

    def write() -> None:
        nonlocal added
        with psycopg.connect(libpq_url(url), autocommit=True) as connection:
            while not stop.is_set():
                connection.execute("INSERT INTO events (subject_id, kind, data) VALUES (gen_random_uuid(), 'a', '{}')")
                added += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield lambda: added
    finally:
        stop.set()
        thread.join(60)


@pytest.mark.parametrize("_drill", range(DRILLS))
async def test_a_backup_under_writes_is_restored_with_equal_checksums(
    filled: URL, new_database: Callable[[], URL], tmp_path: Path, _drill: int
) -> None:
    path, target = tmp_path / "backup", new_database()
    with writes(filled) as added:
        manifest = backup.back_up(filled, path)
        written = added()
    assert backup.check(path) == manifest
    assert backup.restore(target, path) == manifest
    assert manifest.tables["public.documents"].rows > 0
    assert manifest.tables["public.passages"].rows > 0
    assert manifest.tables["public.events"].rows <= written
    with psycopg.connect(libpq_url(target)) as connection:
        assert backup.sums(connection) == manifest.tables
    with pytest.raises(Conflict, match="--replace"):
        backup.restore(target, path)
    with psycopg.connect(libpq_url(target)) as connection:
        connection.execute("DELETE FROM sources")
    assert backup.restore(target, path, replace=True) == manifest


async def test_a_damaged_backup_is_refused(filled: URL, new_database: Callable[[], URL], tmp_path: Path) -> None:
    path, damaged = tmp_path / "backup", tmp_path / "damaged"
    backup.back_up(filled, path)
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(damaged, "w") as archive:
        archive.writestr(DUMP, whole.read(DUMP)[:-100] + b"x" * 100)
        archive.writestr(MANIFEST, whole.read(MANIFEST))
    for content in (damaged.read_bytes(), path.read_bytes()[:1000], b"", b"no zip"):
        damaged.write_bytes(content)
        with pytest.raises(InvalidInput, match="damaged"):
            backup.restore(new_database(), damaged)
    with pytest.raises(InvalidInput, match="cannot be read"):
        backup.check(tmp_path / "none")


async def test_nothing_is_restored_under_others(filled: URL, tmp_path: Path) -> None:
    path = tmp_path / "backup"
    backup.back_up(filled, path)
    with pytest.raises(Conflict, match="Stop the service"):
        backup.restore(filled, path, replace=True)


async def test_a_restore_that_fails_leaves_what_was_there(
    filled: URL, new_database: Callable[[], URL], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, target = tmp_path / "backup", new_database()
    backup.back_up(filled, path)
    with psycopg.connect(libpq_url(target), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (id integer)")
    monkeypatch.setattr(backup, "RESTORE_OPTIONS", [*backup.RESTORE_OPTIONS, "--section=post-data"])
    with pytest.raises(BackupFailed, match="does not exist"):
        backup.restore(target, path, replace=True)
    with psycopg.connect(libpq_url(target)) as connection:
        assert list(backup.sums(connection)) == ["public.kept"]


async def test_a_program_that_fails_is_said(filled: URL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "DUMP_OPTIONS", ["--no-such-option"])
    with pytest.raises(BackupFailed, match="no-such-option"):
        backup.back_up(filled, tmp_path / "backup")


def test_an_empty_database_is_not_backed_up(new_database: Callable[[], URL], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no schema"):
        backup.back_up(new_database(), tmp_path / "backup")
    assert list(tmp_path.iterdir()) == []
