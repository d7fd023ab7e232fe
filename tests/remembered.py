"""States of the database with which several tests begin: built once in a process, then copied back."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import compress
from typing import TypeAlias

import psycopg
from psycopg import sql
from sqlalchemy.engine import URL

from registry.platform.database.engine import libpq_url
from registry.tables import metadata

TABLES = [table.name for table in metadata.sorted_tables if table.name != "corpora"]
State: TypeAlias = dict[str, bytes]
Remember: TypeAlias = Callable[[str, Callable[[], Awaitable[object]]], Awaitable[None]]


# Connections that stay open, by database: a new one takes longer than what it is used for.
open_connections: dict[URL, psycopg.Connection] = {}


@contextmanager
def connected(url: URL) -> Iterator[psycopg.Connection]:
    """A transaction on the open connection to the database, else on a new one."""
    if (connection := open_connections.get(url)) is not None:
        with connection.transaction():
            yield connection
    else:
        # Behind PgBouncer the next one would find what this one prepared.
        with psycopg.connect(libpq_url(url), prepare_threshold=None) as connection:
            yield connection


FILLED = "SELECT " + ", ".join(f"EXISTS (SELECT FROM {name})" for name in TABLES)  # noqa: S608  (our tables)


def filled_tables(connection: psycopg.Connection) -> list[str]:
    """The names of the tables that have rows. Prepared, since planning this takes longer than executing it."""
    return list(compress(TABLES, connection.execute(FILLED, prepare=True).fetchone() or ()))


def has_default_corpus_alone(connection: psycopg.Connection) -> bool:
    return connection.execute("SELECT array_agg(name) FROM corpora").fetchone() == (["default"],)


def is_empty(connection: psycopg.Connection) -> bool:
    """Whether there is nothing but the default corpus."""
    return not filled_tables(connection) and has_default_corpus_alone(connection)


def save(connection: psycopg.Connection) -> State:
    """The rows of all tables that have any; of the corpora only the default one exists."""
    assert has_default_corpus_alone(connection)
    return {name: b"".join(_copied(connection, name)) for name in filled_tables(connection)}


def restore(connection: psycopg.Connection, state: State) -> None:
    """Write the rows of a state into empty tables."""
    for name, content in state.items():
        with connection.cursor().copy(_statement("COPY {} FROM STDIN (FORMAT binary)", name)) as copy:
            copy.write(content)


def _copied(connection: psycopg.Connection, name: str) -> Iterator[bytes]:
    # By a query: a partitioned table cannot be copied by name.
    with connection.cursor().copy(_statement("COPY (SELECT * FROM {}) TO STDOUT (FORMAT binary)", name)) as copy:
        yield from map(bytes, copy)


def _statement(template: str, name: str) -> sql.Composed:
    return sql.SQL(template).format(sql.Identifier(name))
