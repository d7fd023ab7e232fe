"""A private Postgres and the layouts of the passages that the partition benchmark compares in it."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from benchmarks.partitions.corpus import PassageGenerator
from registry.platform.database import embedded

Connection = psycopg.Connection[tuple[Any, ...]]

SERVER = {
    "shared_buffers": "1GB",
    "max_wal_size": "8GB",
    "maintenance_work_mem": "1GB",
    "work_mem": "16MB",
    "autovacuum": "off",  # every table is vacuumed once, by name, before it is measured
    "jit": "off",
}
COLUMNS = """
    source_id uuid NOT NULL, document_id uuid NOT NULL, ordinal integer NOT NULL, corpus_id uuid NOT NULL,
    start_offset integer NOT NULL, end_offset integer NOT NULL, content varchar NOT NULL,
    embedding halfvec(256) NOT NULL, lexemes tsvector NOT NULL
"""
STORAGE = "ALTER embedding SET STORAGE PLAIN, ALTER lexemes SET STORAGE MAIN"
KEY = "ALTER TABLE passages ADD PRIMARY KEY (source_id, document_id, ordinal) INCLUDE (embedding)"
GIN = "CREATE INDEX passages_lexemes ON passages USING gin (lexemes)"
HNSW = "USING hnsw (embedding halfvec_cosine_ops) WITH (m = 16, ef_construction = 64)"


class Kind(StrEnum):
    """How passages are partitioned by source."""

    HASH = "HASH"
    LIST = "LIST"
    MIX = "LIST + HASH"


@dataclass(frozen=True, slots=True)
class Layout:
    """Passages of `sources` sources in a schema of their own.

    `owner` is SQL that gives a passage's source as a number from its own `number`; under MIX the first `listed`
    sources have a partition each and the others share a default that is partitioned by HASH.
    """

    kind: Kind
    sources: int
    modulus: int = 16
    listed: int = 0
    owner: str = ""

    @property
    def schema(self) -> str:
        """The schema's name."""
        return f"{self.kind.name}_{self.sources}_{self.modulus}".lower()

    @property
    def title(self) -> str:
        """A name for a person."""
        return f"{self.kind} {self.modulus}" if self.kind is Kind.HASH else str(self.kind)

    @property
    def source_number(self) -> str:
        """SQL: documents go round the sources, so that the rows of a source lie scattered."""
        return self.owner or f"number / 10 * 7919 % {self.sources}"

    def partitions(self) -> Iterator[str]:
        """The statements that make the partitions."""
        if self.kind is not Kind.HASH:
            for source in range(self.listed or self.sources):
                yield (f"CREATE TABLE passages_s{source} PARTITION OF passages FOR VALUES IN ('{source_id(source)}')")
        parent = "passages"
        if self.kind is Kind.MIX:
            parent = "passages_rest"
            yield "CREATE TABLE passages_rest PARTITION OF passages DEFAULT PARTITION BY HASH (source_id)"
        if self.kind is not Kind.LIST:
            for remainder in range(self.modulus):
                yield (
                    f"CREATE TABLE passages_p{remainder:02d} PARTITION OF {parent} "
                    f"FOR VALUES WITH (MODULUS {self.modulus}, REMAINDER {remainder})"
                )


def source_id(number: int) -> UUID:
    """The id of a source, scattered over the values of a UUID as ids of any version are over the hash partitions."""
    return UUID(int=(number * 0x9E3779B97F4A7C15F39CC0605CEDC835 + 1) % 2**128)


@contextmanager
def private_server() -> Iterator[str]:
    """The URL of an embedded server; server and data are removed at the end."""
    with tempfile.TemporaryDirectory(prefix="credence-partitions-") as folder:
        path = Path(folder)
        with psycopg.connect(embedded.start(path), autocommit=True) as connection:
            for name, value in SERVER.items():
                connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
        embedded.stop(path)
        try:
            yield embedded.start(path)
        finally:
            embedded.stop(path)


@contextmanager
def connected(url: str, layout: Layout | None = None) -> Iterator[Connection]:
    """A new connection, in which nothing is cached, to one layout."""
    with psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
        if layout is not None:
            connection.execute(f"SET search_path = {layout.schema}, public")
        yield connection


@contextmanager
def with_settings(connection: Connection, values: Mapping[str, str]) -> Iterator[None]:
    """Set session settings, and reset them at the end."""
    for name, value in values.items():
        connection.execute(f"SET {name} = '{value}'")
    try:
        yield
    finally:
        for name in values:
            connection.execute(f"RESET {name}")


def generate(connection: Connection, generator: PassageGenerator, count: int) -> None:
    """Generate the passages that all layouts are filled from, with their lexemes."""
    connection.execute("CREATE EXTENSION vector")
    connection.execute("CREATE UNLOGGED TABLE raw (number int, content text, embedding halfvec(256))")
    connection.execute("ALTER TABLE raw ALTER embedding SET STORAGE PLAIN")
    with connection.cursor().copy("COPY raw FROM STDIN (FORMAT binary)") as copy:
        for block in generator.passages(count):
            copy.write(block)
    connection.execute("CREATE UNLOGGED TABLE drawn AS SELECT *, to_tsvector('english', content) AS lexemes FROM raw")
    connection.execute("DROP TABLE raw")


def create(connection: Connection, layout: Layout) -> None:
    """Create the tables of a layout, empty and without indexes."""
    create_parent(connection, layout)
    with connection.transaction():
        for statement in layout.partitions():
            connection.execute(statement)


def create_parent(connection: Connection, layout: Layout) -> None:
    """Create the partitioned table without partitions."""
    connection.execute(f"CREATE SCHEMA {layout.schema}")
    connection.execute(f"SET search_path = {layout.schema}, public")
    method = "HASH" if layout.kind is Kind.HASH else "LIST"
    connection.execute(f"CREATE TABLE passages ({COLUMNS}) PARTITION BY {method} (source_id)")
    connection.execute(f"ALTER TABLE passages {STORAGE}")


def fill(connection: Connection, layout: Layout, rows: int, *, full_text: bool) -> None:
    """Load the first `rows` drawn passages, index and vacuum them, and list their sources.

    The first fiftieth of the sources is a corpus of its own beside the rest.
    """
    small = max(1, layout.sources // 50)
    connection.execute("CREATE TABLE sources (id uuid PRIMARY KEY, number int UNIQUE, corpus_id uuid NOT NULL)")
    with connection.cursor().copy("COPY sources FROM STDIN") as copy:
        for number in range(layout.sources):
            copy.write_row((source_id(number), number, corpus_id(small=number < small)))
    connection.execute(
        f"INSERT INTO passages SELECT sources.id, md5('document' || drawn.number / 10)::uuid, drawn.number % 10,"
        f" sources.corpus_id, 0, length(content), content, embedding, lexemes"
        f" FROM drawn JOIN sources ON sources.number = {layout.source_number.replace('number', 'drawn.number')}"
        f" WHERE drawn.number < {rows}"
    )
    connection.execute(KEY)
    if full_text:
        connection.execute(GIN)
    connection.execute("VACUUM ANALYZE passages")
    connection.execute("ANALYZE sources")


def corpus_id(*, small: bool) -> UUID:
    """The small corpus, or the one that has nearly everything."""
    return UUID(int=2 if small else 1)


def drop(connection: Connection, layout: Layout) -> None:
    """Drop a layout partition by partition: a thousand at once need more locks than Postgres has by default."""
    connection.execute(f"SET search_path = {layout.schema}, public")
    partitions = connection.execute(
        "SELECT relid::regclass::text FROM pg_partition_tree('passages') WHERE isleaf"
    ).fetchall()
    for (partition,) in partitions:
        connection.execute(f"DROP TABLE {partition}")
    connection.execute(f"DROP SCHEMA {layout.schema} CASCADE")


def size(connection: Connection, layout: Layout, pattern: str) -> float:
    """MiB of the relations of a layout whose names are LIKE `pattern`."""
    row = connection.execute(
        "SELECT coalesce(sum(pg_relation_size(oid)), 0) FROM pg_class"
        " WHERE relnamespace = %s::regnamespace AND relkind IN ('r', 'i') AND relname LIKE %s",
        (layout.schema, pattern),
    ).fetchone()
    return float(row[0]) / 2**20 if row else 0.0
