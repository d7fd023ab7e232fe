"""The schema as the migrations build it."""

from collections.abc import Callable

import psycopg
import pytest
from sqlalchemy.engine import URL

from migrations import control
from registry.database.engine import libpq_url
from registry.errors import SchemaOutdated


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


def test_down_and_up_again(new_database: Callable[[], URL]) -> None:
    url = new_database()
    control.upgrade(url)
    control.downgrade(url, "base")
    assert control.current(url) is None
    with pytest.raises(SchemaOutdated, match="migrate upgrade"):
        control.require_current(control.current(url))
    control.upgrade(url)
    assert control.current(url) == control.head()


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
