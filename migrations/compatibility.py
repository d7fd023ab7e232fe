"""The compatibility of code and schema: a version of Credence and the next one share a database while they are
exchanged.

After a migration that only adds, code of before goes on: it leaves out columns that it does not know, which are null
or have a default. The schema names the oldest code that runs on it (the head of its migrations); a migration that does
more than add writes its own revision there, with `declare_oldest_code`. `credence migrate check` compares both schemas.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Inspector, inspect, text

TABLE = "schema_compatibility"


def declare_oldest_code(connection: Connection, revision: str) -> None:
    """Within a migration: code older than `revision` does not run on the schema from now on."""
    connection.execute(text(f"UPDATE {TABLE} SET oldest_code = :revision"), {"revision": revision})  # noqa: S608


def oldest_code(connection: Connection) -> str | None:
    """The oldest code that runs on the schema of this database; None before it was declared."""
    if connection.scalar(text(f"SELECT to_regclass('{TABLE}')")) is None:
        return None
    return str(connection.execute(text(f"SELECT oldest_code FROM {TABLE}")).scalar_one())  # noqa: S608


@dataclass(frozen=True, slots=True)
class Column:
    """The properties of a column that code relies on."""

    type: str
    nullable: bool
    has_default: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name, and the rules that rows must keep."""

    columns: dict[str, Column]
    rules: frozenset[str]


def tables(connection: Connection) -> dict[str, Table]:
    """The tables of the public schema by name."""
    inspector = inspect(connection)
    return {name: _table(inspector, name) for name in inspector.get_table_names()}


def incompatibilities(older: dict[str, Table], newer: dict[str, Table]) -> list[str]:
    """The problems of code written for the older schema on the newer one, a sentence each."""
    found = []
    for name, table in older.items():
        if name in newer:
            found += [f"{name}.{problem}" for problem in _column_problems(table.columns, newer[name].columns)]
            found += [f"{name} has a new rule: {rule}" for rule in sorted(newer[name].rules - table.rules)]
        else:
            found.append(f"{name} is gone")
    return found


def _column_problems(older: dict[str, Column], newer: dict[str, Column]) -> Iterable[str]:
    for name, column in newer.items():
        if name not in older and not column.nullable and not column.has_default:
            yield f"{name} is new and must be written"
    for name, column in older.items():
        if name not in newer:
            yield f"{name} is gone"
        elif newer[name].type != column.type:
            yield f"{name} was {column.type} and is {newer[name].type}"
        elif newer[name].nullable != column.nullable:
            yield f"{name} {'may now be null' if newer[name].nullable else 'must no longer be null'}"
        elif column.has_default and not newer[name].has_default:
            yield f"{name} lost its default"


def _table(inspector: Inspector, name: str) -> Table:
    columns = {
        column["name"]: Column(
            type=column["type"].compile(inspector.dialect),
            nullable=column["nullable"],
            has_default=column["default"] is not None or "identity" in column or "computed" in column,
        )
        for column in inspector.get_columns(name)
    }
    return Table(columns, frozenset(_rules(inspector, name)))


def _rules(inspector: Inspector, name: str) -> Iterable[str]:
    readers: dict[str, Callable[[str], Iterable[Any]]] = {
        "check": inspector.get_check_constraints,
        "foreign key": inspector.get_foreign_keys,
        "unique": lambda table: [index for index in inspector.get_indexes(table) if index["unique"]],
    }
    for kind, read in readers.items():
        for rule in read(name):
            details = rule.get("sqltext") or rule.get("column_names") or rule["constrained_columns"]
            yield f"{kind} {rule['name']} on {details}"
