"""The plan for several servers names every table, and nothing is in its way but what it knows."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool

from migrations.distribution import GROUP_OF, KNOWN_PROBLEMS, PLAN, Place, problems
from tests.tables import for_each

CHANGES = {
    "CREATE TABLE topics (id int PRIMARY KEY)": {"topics: it is not in the plan"},
    "DROP TABLE connector_locations": {"connector_locations: there is no such table"},
    "ALTER TABLE votes DROP CONSTRAINT votes_pkey, ALTER source_id DROP NOT NULL": {"votes: its source_id may be null"},
    "CREATE UNIQUE INDEX named ON votes (estimation_id, lower(answer))": {
        "votes: named on estimation_id, an expression is without source_id"
    },
    "CREATE UNIQUE INDEX named ON votes (estimation_id) INCLUDE (source_id)": {
        "votes: named on estimation_id is without source_id"
    },
    "CREATE UNIQUE INDEX named ON votes (answer, source_id)": set(),
    "CREATE UNIQUE INDEX named ON queries (text)": set(),
    "ALTER TABLE votes ADD CONSTRAINT asked FOREIGN KEY (query_id) REFERENCES queries": {
        "votes: asked refers to queries, which is on the coordinator"
    },
    "ALTER TABLE sources ADD CONSTRAINT fed FOREIGN KEY (id) REFERENCES connectors": {
        "sources: fed refers to connectors, which is on the coordinator"
    },
    "ALTER TABLE votes ADD CONSTRAINT read FOREIGN KEY (query_id) REFERENCES documents": {
        "votes: read refers to documents, which is in shards"
    },
    "CREATE TRIGGER kept BEFORE UPDATE ON answers FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()": {
        "answers: it has triggers, which Citus refuses"
    },
}


@pytest.fixture
def connection(database_url: URL) -> Iterator[Connection]:
    with create_engine(database_url, poolclass=NullPool).connect() as connection:
        yield connection


def test_what_is_in_the_way_of_the_plan_is_known(connection: Connection) -> None:
    assert set(problems(connection)) == set(KNOWN_PROBLEMS)


@for_each("change, added", CHANGES.items())
def test_what_a_change_puts_in_its_way_is_found(connection: Connection, change: str, added: set[str]) -> None:
    connection.exec_driver_sql(change)
    found = set(problems(connection))
    connection.rollback()
    assert found - set(KNOWN_PROBLEMS) == added


def test_a_table_has_one_place_and_in_shards_a_column() -> None:
    assert len(GROUP_OF) == sum(len(group.tables) for group in PLAN)
    assert all((group.column is not None) == (group.place is Place.SHARDS) for group in PLAN)
