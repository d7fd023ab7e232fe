"""The plan of the schema on several servers, by Citus: where each table goes, and what in the schema is in its way.

A distributed table is cut into shards by the hash of one column, its distribution column, which each of its unique keys
must contain; tables with the same one lie together. A reference table is whole on every server, so that distributed
tables can be joined with it and refer to it. The others stay on the coordinator, the server that processes connect to.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, text


class Place(StrEnum):
    """Where the rows of a table are."""

    SHARDS = "shards"
    EVERYWHERE = "every server"
    COORDINATOR = "coordinator"


@dataclass(frozen=True, slots=True)
class Group:
    """Tables of one place; a distribution column belongs to those in shards."""

    tables: tuple[str, ...]
    place: Place
    why: str
    column: str | None = None


PLAN = (
    Group(
        ("passages", "documents", "stated_values"),
        Place.SHARDS,
        "All but a few of the bytes. A source is searched on one server.",
        "source_id",
    ),
    Group(
        ("votes",),
        Place.SHARDS,
        "They grow with sources, queries and runs; a run reads all of its own.",
        "source_id",
    ),
    Group(
        ("readings",),
        Place.SHARDS,
        "Looked up by reader, question and passages: all of a question on one server.",
        "prompt_hash",
    ),
    Group(("answers",), Place.SHARDS, "Long rows that are read by their id.", "id"),
    Group(
        ("corpora", "sources", "overrides", "ratings", "misreading_verdicts"),
        Place.EVERYWHERE,
        "Small and seldom written; joined with passages, documents and votes.",
    ),
    Group(
        ("estimations", "estimation_queries", "estimation_sources"),
        Place.EVERYWHERE,
        "Joined with votes, by exports and by the estimator.",
    ),
    Group(
        (
            "api_keys",
            "audit_events",
            "browser_sessions",
            "connector_documents",
            "connector_locations",
            "connectors",
            "corpus_questions",
            "embedding_space",
            "estimation_centroids",
            "estimation_pieces",
            "evaluations",
            "events",
            "gold_entries",
            "idempotent_requests",
            "import_pieces",
            "key_spending",
            "queries",
            "query_generations",
            "rate_counts",
            "schedule_ticks",
            "schedules",
            "searched_documents",
        ),
        Place.COORDINATOR,
        "Small or often written, and read by themselves; so is the queue of jobs.",
    ),
    Group(("alembic_version", "schema_compatibility"), Place.COORDINATOR, "What migrations know."),
)
GROUP_OF: Mapping[str, Group] = {table: group for group in PLAN for table in group.tables}

# What `problems` finds today, and what a migration for Citus does about it.
KNOWN_PROBLEMS: Mapping[str, str] = {
    "documents: documents_pkey on id is without source_id": (
        "The key becomes (source_id, id), for which there is an index; what looks up a document by its id alone, as"
        " citations do, also gives its source, or asks all shards."
    ),
    "connector_documents: connector_documents_document_id_fkey refers to documents, which is in shards": (
        "It is dropped, and the code that deletes documents deletes these rows in the same transaction, as it does with"
        " passages."
    ),
    "searched_documents: searched_documents_document_id_fkey refers to documents, which is in shards": (
        "It is dropped; rows of documents that are gone are never looked up."
    ),
    "stated_values: stated_values_document_id_fkey refers to documents, which is in shards": (
        "It becomes a foreign key on (source_id, document_id) to the new key of the documents."
    ),
    "passages: it has partitions": (
        "They are made for one server. Rows are copied into a table without, whose shards are searched as partitions"
        " are today; the index of embeddings is built on each shard."
    ),
}

TABLES = text(
    """
    SELECT relname AS name, relkind = 'p' AS has_partitions,
           (SELECT coalesce(array_agg(CAST(attname AS text)), '{}') FROM pg_attribute
            WHERE attrelid = pg_class.oid AND attnum > 0 AND attnotnull AND NOT attisdropped) AS filled,
           EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND NOT tgisinternal) AS has_triggers
    FROM pg_class
    WHERE relnamespace = CAST('public' AS regnamespace) AND relkind IN ('r', 'p') AND NOT relispartition
    ORDER BY relname
    """
)
# Of unique and exclusion constraints and of unique indexes; included columns are no part of the key.
UNIQUE_KEYS = text(
    """
    SELECT relation.relname AS table_name, index.relname AS name,
           (SELECT array_agg(coalesce(CAST(attname AS text), 'an expression') ORDER BY place)
            FROM unnest(CAST(indkey AS int2[])) WITH ORDINALITY AS key (attnum, place)
            LEFT JOIN pg_attribute ON attrelid = indrelid AND pg_attribute.attnum = key.attnum
            WHERE place <= indnkeyatts) AS columns
    FROM pg_index
    JOIN pg_class AS relation ON relation.oid = indrelid
    JOIN pg_class AS index ON index.oid = indexrelid
    WHERE (indisunique OR indisexclusion) AND relation.relnamespace = CAST('public' AS regnamespace)
        AND NOT relation.relispartition
    ORDER BY relation.relname, index.relname
    """
)
FOREIGN_KEYS = text(
    """
    SELECT referring.relname AS table_name, conname AS name, referred.relname AS referred,
           (SELECT array_agg(CAST(attname AS text)) FROM pg_attribute
            WHERE attrelid = conrelid AND attnum = ANY(conkey)) AS columns
    FROM pg_constraint
    JOIN pg_class AS referring ON referring.oid = conrelid
    JOIN pg_class AS referred ON referred.oid = confrelid
    WHERE contype = 'f' AND referring.relnamespace = CAST('public' AS regnamespace) AND NOT referring.relispartition
    ORDER BY referring.relname, conname
    """
)


def problems(connection: Connection) -> list[str]:
    """What in the schema of this database is not in the plan or in its way, a sentence each."""
    found = [*_table_problems(connection), *_key_problems(connection), *_reference_problems(connection)]
    return [f"{table}: {problem}" for table, problem in found]


def _table_problems(connection: Connection) -> Iterable[tuple[str, str]]:
    tables = {row.name: row for row in connection.execute(TABLES)}
    yield from ((name, "it is not in the plan") for name in tables.keys() - GROUP_OF.keys())
    yield from ((name, "there is no such table") for name in GROUP_OF.keys() - tables.keys())
    for name, row in tables.items():
        column = _column(name)
        if column is None:
            continue
        if column not in row.filled:
            yield name, f"its {column} may be null"
        if row.has_partitions:
            yield name, "it has partitions"
        if row.has_triggers:
            yield name, "it has triggers, which Citus refuses"


def _key_problems(connection: Connection) -> Iterable[tuple[str, str]]:
    for table, name, columns in connection.execute(UNIQUE_KEYS):
        column = _column(table)
        if column is not None and column not in columns:
            yield table, f"{name} on {', '.join(columns)} is without {column}"


def _reference_problems(connection: Connection) -> Iterable[tuple[str, str]]:
    for table, name, referred, columns in connection.execute(FOREIGN_KEYS):
        place, target = _place(table), _place(referred)
        if target is Place.SHARDS and not (_column(table) == _column(referred) and _column(table) in columns):
            yield table, f"{name} refers to {referred}, which is in shards"
        if target is Place.COORDINATOR and place is not Place.COORDINATOR:
            yield table, f"{name} refers to {referred}, which is on the coordinator"


def _column(table: str) -> str | None:
    return GROUP_OF[table].column if table in GROUP_OF else None


def _place(table: str) -> Place | None:
    return GROUP_OF[table].place if table in GROUP_OF else None
