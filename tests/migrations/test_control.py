"""The schema as the migrations build it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import URL

from migrations import control
from registry.platform.database.engine import libpq_url
from registry.platform.errors import SchemaOutdated

# DOCUMENTS=100000 is the full drill.
DOCUMENTS = int(os.environ.get("DOCUMENTS", "100"))
FILL = """
    WITH source AS (
        INSERT INTO sources (id, corpus_id, external_id, name, description, attributes, status)
        SELECT gen_random_uuid(), corpora.id, 'a', 'a', '', '{}', 'active' FROM corpora RETURNING id
    )
    INSERT INTO documents (id, source_id, external_id, title, media_type, content, content_hash, attributes)
    SELECT gen_random_uuid(), source.id, number::text, '', 'text/plain', 'Document ' || number, ''::bytea, '{}'
    FROM source, generate_series(1, %(count)s) AS number
"""


def test_the_models_are_what_the_migrations_build(migrated_url: URL) -> None:
    control.check(migrated_url)
    assert control.current(migrated_url) == control.head()


def test_a_difference_from_the_models_is_said(new_database: Callable[[], URL]) -> None:
    url = new_database()
    control.upgrade(url)
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        connection.execute("ALTER TABLE queries DROP COLUMN topic")
    with pytest.raises(control.MigrationFailed, match="topic"):
        control.check(url)


NEXT = """
from alembic import op

from migrations.compatibility import declare_oldest_code

revision = "next"
down_revision = "{head}"


def upgrade() -> None:
    op.execute("ALTER TABLE sources ADD COLUMN {column}")
    {declaration}


def downgrade() -> None:
    op.execute("ALTER TABLE sources DROP COLUMN rank")
"""


@pytest.fixture
def add_migration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Adds a column to the sources in a migration after those that there are; returns the revision before it."""
    before = control.head()
    shutil.copytree(control.FOLDER, tmp_path / "migrations")
    monkeypatch.setattr(control, "FOLDER", tmp_path / "migrations")

    def add(column: str, declaration: str = "") -> str:
        text = NEXT.format(head=before, column=column, declaration=declaration)
        (tmp_path / "migrations" / "versions" / "next.py").write_text(text)
        forget()
        return before

    def forget() -> None:
        control.head.cache_clear()
        control._known.cache_clear()

    yield add
    forget()


def test_up_and_down_keep_documents(new_database: Callable[[], URL], add_migration: Callable[..., str]) -> None:
    url = new_database()
    control.upgrade(url)
    before = add_migration("rank integer")
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        connection.execute(FILL, {"count": DOCUMENTS})
        with pytest.raises(SchemaOutdated, match="older than this code"):
            control.require_runnable(control.read_schema(url))
        control.upgrade(url)
        assert control.current(url) == "next"
        control.downgrade(url, before)
        assert control.current(url) == before
        assert connection.execute("SELECT count(DISTINCT content) FROM documents").fetchone() == (DOCUMENTS,)
    control.downgrade(url, "base")
    assert control.current(url) is None


def test_code_of_before_must_run_on_the_next_schema(
    new_database: Callable[[], URL], add_migration: Callable[..., str]
) -> None:
    url = new_database()
    control.upgrade(url)
    declared = control.read_schema(url).oldest_code
    assert control.check_compatibility(url) == declared
    before = add_migration("rank integer NOT NULL")
    control.upgrade(url)
    with pytest.raises(control.MigrationFailed, match=rf"{declared} does not run .*: sources\.rank is new"):
        control.check_compatibility(url)
    control.downgrade(url, before)
    add_migration("rank integer NOT NULL", "declare_oldest_code(op.get_bind(), revision)")
    control.upgrade(url)
    assert control.check_compatibility(url) == "next"


def test_passages_are_partitioned_by_source_and_their_key_carries_the_embedding(migrated_url: URL) -> None:
    with psycopg.connect(libpq_url(migrated_url)) as connection:
        key = connection.execute("SELECT pg_get_partkeydef('passages'::regclass)").fetchone()
        partitions = connection.execute(
            "SELECT count(*), bool_and(attstorage = 'p') FROM pg_inherits JOIN pg_attribute ON attrelid = inhrelid"
            " WHERE inhparent = 'passages'::regclass AND attname = 'embedding'"
        ).fetchone()
        index = connection.execute("SELECT pg_get_indexdef('passages_pkey'::regclass)").fetchone()
    assert key == ("HASH (source_id)",)
    assert partitions == (16, True)
    assert index is not None
    assert index[0].endswith("INCLUDE (embedding)")
