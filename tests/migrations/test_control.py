"""The schema as the migrations build it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.types.json import Jsonb
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


def test_what_is_stored_has_the_names_of_now(new_database: Callable[[], URL]) -> None:
    url = new_database()
    control.upgrade(url, "0038")
    stored = {"selected": [{"voice": 0}], "tally": [{"voices": 1, "answer": 'says "voice": loud'}]}
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        connection.execute(
            "INSERT INTO answers (id, corpus_id, question, status, parameters, result) SELECT gen_random_uuid(),"
            " corpora.id, 'Who?', 'succeeded', '{\"kappa_counts\": \"voices\"}', %s FROM corpora",
            [Jsonb(stored)],
        )
        connection.execute(
            "INSERT INTO evaluations (id, corpus_id, estimation_id, report)"
            " SELECT gen_random_uuid(), id, id, %s FROM corpora",
            [Jsonb({"parameters": {"kappa_counts": "voices"}})],
        )
        connection.execute(
            "INSERT INTO estimations (id, corpus_id, trigger, status, parameters, method, queries_total,"
            " queries_collected, sources_total, readings_made, readings_cached, readings_failed, votes_total)"
            " SELECT gen_random_uuid(), id, 'http', 'succeeded', '{}', 'bayes', 0, 0, 0, 0, 0, 0, 0"
            " FROM corpora, generate_series(1, 2)"
        )
        control.upgrade(url)
        [(result, parameters)] = connection.execute("SELECT result, parameters FROM answers")
        assert connection.execute("SELECT report FROM evaluations").fetchall() == [
            ({"parameters": {"kappa_counts": "copy_groups"}},)
        ]
        assert connection.execute("SELECT method, number FROM estimations ORDER BY id").fetchall() == [
            ("one_coin", 1),
            ("one_coin", 2),
        ]
    assert result["selected"] == [{"copy_group": 0}]
    assert result["tally"] == [{"independent_votes": 1, "answer": 'says "voice": loud'}]
    assert parameters == {"kappa_counts": "copy_groups"}
