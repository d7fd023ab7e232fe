"""Which changes of a schema older code stumbles over."""

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from migrations import compatibility, control
from migrations.control import Schema
from registry.platform.errors import SchemaOutdated

OLDER = """
    CREATE TABLE sources (id int PRIMARY KEY, name text NOT NULL, url text, votes int NOT NULL DEFAULT 0);
    CREATE TABLE votes (source_id int NOT NULL)
"""
ADDITIONS = [
    "ALTER TABLE sources ADD topic text",
    "ALTER TABLE sources ADD topic text NOT NULL DEFAULT ''",
    "CREATE TABLE topics (name text NOT NULL UNIQUE)",
    "CREATE INDEX ON sources (name)",
    "ALTER TABLE votes ALTER source_id SET DEFAULT 0",
]
BREAKING = {
    "DROP TABLE votes": "votes is gone",
    "ALTER TABLE sources DROP url": "sources.url is gone",
    "ALTER TABLE sources RENAME url TO address": "sources.url is gone",
    "ALTER TABLE sources ADD topic text NOT NULL": "sources.topic is new and must be written",
    "ALTER TABLE sources ALTER votes TYPE bigint": "sources.votes was INTEGER and is BIGINT",
    "ALTER TABLE sources ALTER url SET NOT NULL": "sources.url must no longer be null",
    "ALTER TABLE sources ALTER name DROP NOT NULL": "sources.name may now be null",
    "ALTER TABLE sources ALTER votes DROP DEFAULT": "sources.votes lost its default",
    "ALTER TABLE sources ADD UNIQUE (name)": "sources has a new rule: unique sources_name_key on ['name']",
    "CREATE UNIQUE INDEX named ON sources (name)": "sources has a new rule: unique named on ['name']",
    "ALTER TABLE sources ADD CONSTRAINT used CHECK (votes > 0)": "sources has a new rule: check used on votes > 0",
    "ALTER TABLE votes ADD CONSTRAINT source FOREIGN KEY (source_id) REFERENCES sources": (
        "votes has a new rule: foreign key source on ['source_id']"
    ),
}


@pytest.fixture(scope="module")
def connection(new_database: Callable[[], URL]) -> Iterator[Connection]:
    engine = create_engine(new_database(), poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql(OLDER)
        connection.commit()
        yield connection


def problems_of(change: str, connection: Connection) -> list[str]:
    older = compatibility.tables(connection)
    connection.exec_driver_sql(change)
    problems = compatibility.incompatibilities(older, compatibility.tables(connection))
    connection.rollback()
    return problems


def test_older_code_goes_on_after_additions(connection: Connection) -> None:
    assert {change: problems_of(change, connection) for change in ADDITIONS} == {change: [] for change in ADDITIONS}


def test_what_older_code_stumbles_over_is_named(connection: Connection) -> None:
    assert {change: problems_of(change, connection) for change in BREAKING} == {
        change: [problem] for change, problem in BREAKING.items()
    }


def test_code_runs_on_its_own_schema_and_on_newer_ones_that_declare_it() -> None:
    for schema in (Schema(control.head()), Schema("9999", control.head())):
        control.require_runnable(schema)
    for schema in (Schema(None), Schema("0001", "0001"), Schema("9999", "9998"), Schema("9999")):
        with pytest.raises(SchemaOutdated):
            control.require_runnable(schema)
