"""States of the database with which several tests begin: built once in a process, then copied back."""

from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

import psycopg
from psycopg import sql

from registry.tables import metadata

TABLES = [table.name for table in metadata.sorted_tables if table.name != "corpora"]
State: TypeAlias = dict[str, bytes]
Remember: TypeAlias = Callable[[str, Callable[[], Awaitable[object]]], Awaitable[None]]


FILLED = " OR ".join(f"EXISTS (SELECT FROM {name})" for name in TABLES)
IS_EMPTY = f"SELECT NOT ({FILLED}) AND (SELECT array_agg(name) = '{{default}}' FROM corpora)"  # noqa: S608  (our tables)


def is_empty(connection: psycopg.Connection) -> bool:
    """Whether there is nothing but the default corpus."""
    return connection.execute(IS_EMPTY).fetchone() == (True,)


def save(connection: psycopg.Connection) -> State:
    """The rows of all tables that have any; of the corpora only the default one exists."""
    copied = {name: b"".join(_copied(connection, name)) for name in TABLES if _filled(connection, name)}
    assert connection.execute("SELECT array_agg(name) FROM corpora").fetchall() == [(["default"],)]
    return copied


def restore(connection: psycopg.Connection, state: State) -> None:
    """Write the rows of a state into empty tables."""
    for name, content in state.items():
        with connection.cursor().copy(_statement("COPY {} FROM STDIN (FORMAT binary)", name)) as copy:
            copy.write(content)


def _copied(connection: psycopg.Connection, name: str) -> Iterator[bytes]:
    # By a query: a partitioned table cannot be copied by name.
    with connection.cursor().copy(_statement("COPY (SELECT * FROM {}) TO STDOUT (FORMAT binary)", name)) as copy:
        yield from map(bytes, copy)


def _filled(connection: psycopg.Connection, name: str) -> bool:
    return connection.execute(_statement("SELECT EXISTS (SELECT FROM {})", name)).fetchone() == (True,)


def _statement(template: str, name: str) -> sql.Composed:
    return sql.SQL(template).format(sql.Identifier(name))
