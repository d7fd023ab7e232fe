"""COPY of the same rows into the same table with more and more indexes."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.partitions.layout import GIN, HNSW, KEY, Connection, Layout, corpus_id, size

PLAIN_KEY = "ALTER TABLE passages ADD PRIMARY KEY (source_id, document_id, ordinal)"
DROP_KEY = "ALTER TABLE passages DROP CONSTRAINT passages_pkey"


@dataclass(frozen=True, slots=True)
class Ingested:
    """Rows a second under one set of indexes, and the MiB that its newest index takes."""

    indexes: str
    rate: float
    mebibytes: float


def more_rows(connection: Connection, layout: Layout, count: int) -> bytes:
    """Drawn passages as binary COPY, as documents that the layout does not have yet, on all its sources."""
    number = layout.source_number.replace("number", "drawn.number")
    select = (
        f"SELECT sources.id, md5('new' || drawn.number / 10)::uuid, drawn.number % 10,"
        f" '{corpus_id(small=False)}'::uuid, 0, length(content), content::varchar, embedding, lexemes"
        f" FROM drawn JOIN sources ON sources.number = {number} WHERE drawn.number < {count}"
    )
    with connection.cursor().copy(f"COPY ({select}) TO STDOUT (FORMAT binary)") as copy:
        return b"".join(copy)


def copy_rate(connection: Connection, block: bytes, count: int) -> float:
    """Rows a second of one COPY, rolled back afterwards; vacuum the table before anything else is measured."""
    start = time.perf_counter()
    with connection.transaction(force_rollback=True):
        with connection.cursor().copy("COPY passages FROM STDIN (FORMAT binary)") as copy:
            copy.write(block)
        return count / (time.perf_counter() - start)


STEPS: dict[str, tuple[tuple[str, ...], str, int]] = {
    "none": (("DROP INDEX passages_lexemes", DROP_KEY), "", 1),
    "plain key": ((PLAIN_KEY,), "%pkey", 1),
    "covering key": ((DROP_KEY, KEY), "%pkey", 1),
    "covering key, full text": ((GIN,), "%lexemes%", 1),
    "covering key, full text, HNSW": ((f"CREATE INDEX passages_embedding ON passages {HNSW}",), "%embedding%", 10),
}
"""By indexes: statements to run after the previous step, name pattern of the newest index, divisor of the rows."""


def by_indexes(connection: Connection, layout: Layout, count: int) -> Iterator[Ingested]:
    """COPY under more and more indexes; a tenth of the rows where there is HNSW."""
    for indexes, (statements, name, divisor) in STEPS.items():
        for statement in statements:
            connection.execute(statement)
        few = count // divisor
        rate = copy_rate(connection, more_rows(connection, layout, few), few)
        connection.execute("VACUUM passages")
        yield Ingested(indexes, rate, size(connection, layout, name))
