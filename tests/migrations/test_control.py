"""The schema as the migrations build it."""

import os
from collections.abc import Callable

import psycopg
import pytest
from sqlalchemy.engine import URL

from migrations import control
from registry.database.engine import libpq_url

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


def test_down_and_up_again_with_documents_in_it(new_database: Callable[[], URL]) -> None:
    url = new_database()
    control.upgrade(url)
    # A schema that breaks the code that it declares is refused.
    assert control.check_compatibility(url) == control.read_schema(url).oldest_code
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        connection.execute("UPDATE schema_compatibility SET oldest_code = '0019'")
        connection.execute("ALTER TABLE sources ADD COLUMN topic text NOT NULL")
    with pytest.raises(control.MigrationFailed, match=r"0019 does not run .*: sources\.topic is new"):
        control.check_compatibility(url)
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        connection.execute(FILL, {"count": DOCUMENTS})
        control.downgrade(url, "0003")
        control.upgrade(url)
        assert control.current(url) == control.head()
        assert connection.execute("SELECT count(DISTINCT content) FROM documents").fetchone() == (DOCUMENTS,)


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
