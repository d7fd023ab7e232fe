"""Backups under writes are restored as they were, and damaged ones are refused."""

import hashlib
import os
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy.engine import URL

from migrations.control import build as build_schema
from registry.corpora.model import Corpus
from registry.jobs.failures import pause
from registry.platform.database import backup
from registry.platform.database.backup import MANIFEST, BackupFailed
from registry.platform.database.engine import libpq_url
from registry.platform.database.restore import restore
from registry.platform.errors import Conflict, InvalidInput, SchemaOutdated
from registry.runtime import Runtime
from tests.registry.world import TOWERS, build, honest, liar
from tests.tables import for_each

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


def rewrite(path: Path, target: Path, changes: Mapping[str, bytes]) -> None:
    """Write a backup with other contents."""
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(target, "w") as archive:
        for name in dict.fromkeys([*whole.namelist(), *changes]):
            archive.writestr(name, changes[name] if name in changes else whole.read(name))


@pytest.mark.parametrize("_drill", range(DRILLS))
async def test_a_backup_under_writes_is_restored_with_equal_checksums(
    filled: URL, new_database: Callable[[], URL], tmp_path: Path, _drill: int
) -> None:
    path, target = tmp_path / "backup", new_database()
    with writes(filled) as added:
        manifest = backup.back_up(filled, path)
        written = added()
    assert backup.check(path) == manifest
    assert restore(target, path, build_schema, pause) == manifest
    assert manifest.tables["public.documents"].rows > 0
    assert manifest.tables["public.passages"].rows > 0
    assert manifest.tables["public.events"].rows <= written
    with psycopg.connect(libpq_url(target)) as connection:
        held = backup.sums(connection)
    assert {name: (table.rows, table.checksum) for name, table in manifest.tables.items()} == {
        name: (table.rows, table.checksum) for name, table in held.items()
    }
    with pytest.raises(Conflict, match="--replace"):
        restore(target, path, build_schema, pause)
    with psycopg.connect(libpq_url(target)) as connection:
        connection.execute("DELETE FROM sources")
    assert restore(target, path, build_schema, pause, replace=True) == manifest


async def test_a_damaged_backup_is_refused(filled: URL, new_database: Callable[[], URL], tmp_path: Path) -> None:
    path, damaged = tmp_path / "backup", tmp_path / "damaged"
    backup.back_up(filled, path)
    rewrite(path, damaged, {"public.passages": b"x"})
    for content in (damaged.read_bytes(), path.read_bytes()[:1000], b"", b"no zip"):
        damaged.write_bytes(content)
        with pytest.raises(InvalidInput, match="damaged"):
            restore(new_database(), damaged, build_schema, pause)
    with pytest.raises(InvalidInput, match="cannot be read"):
        backup.check(tmp_path / "none")


async def test_nothing_is_restored_under_others(filled: URL, tmp_path: Path) -> None:
    path = tmp_path / "backup"
    backup.back_up(filled, path)
    with pytest.raises(Conflict, match="Stop the service"):
        restore(filled, path, build_schema, pause, replace=True)


@for_each("table", ["public.sources", "public.events", MANIFEST])
async def test_a_backup_of_a_stranger_that_does_not_fit_leaves_what_was_there(
    filled: URL, new_database: Callable[[], URL], tmp_path: Path, table: str
) -> None:
    """Its checksums agree: whoever makes it can compute them."""
    path, forged, target = tmp_path / "backup", tmp_path / "forged", new_database()
    manifest = backup.back_up(filled, path)
    rows = b"DROP TABLE kept;\n\\.\nCOPY kept TO PROGRAM 'touch /tmp/owned';\n"
    changes = manifest.model_copy(deep=True)
    if table == MANIFEST:
        changes.tables["public.kept; DROP TABLE kept"] = changes.tables.pop("public.events")
    else:
        changes.tables[table].sha256 = hashlib.sha256(rows).hexdigest()
    content = {"public.kept; DROP TABLE kept": b"", table: rows} | {MANIFEST: changes.model_dump_json().encode()}
    if table == MANIFEST:
        changes.tables["public.kept; DROP TABLE kept"].sha256 = hashlib.sha256(b"").hexdigest()
        content[MANIFEST] = changes.model_dump_json().encode()
    rewrite(path, forged, content)
    with psycopg.connect(libpq_url(target), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (id integer)")
    with pytest.raises(BackupFailed, match=r"none of this schema|not those of revision"):
        restore(target, forged, build_schema, pause, replace=True)
    with psycopg.connect(libpq_url(target)) as connection:
        assert list(backup.sums(connection)) == ["public.kept"]


async def test_rows_that_are_not_those_of_the_manifest_are_refused(
    filled: URL, new_database: Callable[[], URL], tmp_path: Path
) -> None:
    path, forged = tmp_path / "backup", tmp_path / "forged"
    manifest = backup.back_up(filled, path)
    manifest.tables["public.documents"].rows += 1
    rewrite(path, forged, {MANIFEST: manifest.model_dump_json().encode()})
    with pytest.raises(BackupFailed, match=r"public\.documents differ"):
        restore(new_database(), forged, build_schema, pause)
    manifest.revision = "9999"
    rewrite(path, forged, {MANIFEST: manifest.model_dump_json().encode()})
    with pytest.raises(SchemaOutdated, match="newer Credence"):
        restore(new_database(), forged, build_schema, pause)


async def test_with_a_key_only_what_it_signed_is_restored(
    filled: URL, new_database: Callable[[], URL], tmp_path: Path
) -> None:
    key, path, forged = SecretStr("k" * 16), tmp_path / "backup", tmp_path / "forged"
    manifest = backup.back_up(filled, path, key)
    assert restore(new_database(), path, build_schema, pause, key=key) == manifest
    assert backup.check(path) == manifest
    rewrite(path, forged, {MANIFEST: manifest.model_copy(update={"credence": "0"}).model_dump_json().encode()})
    unsigned = tmp_path / "unsigned"
    backup.back_up(filled, unsigned)
    for other in (forged, unsigned):
        with pytest.raises(InvalidInput, match="CREDENCE_BACKUP_KEY"):
            restore(new_database(), other, build_schema, pause, key=key)
    with pytest.raises(InvalidInput, match="CREDENCE_BACKUP_KEY"):
        backup.check(path, SecretStr("x" * 16))


def test_an_empty_database_is_not_backed_up(new_database: Callable[[], URL], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no schema"):
        backup.back_up(new_database(), tmp_path / "backup")
    assert list(tmp_path.iterdir()) == []
