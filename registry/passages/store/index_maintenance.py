"""Building the approximate index of embeddings, partition by partition, while passages are written and searched.

The number of lists is part of the name of an index. When a partition has outgrown it, one with more lists is built
beside it, and then the old one is dropped. A build that is interrupted leaves an invalid index, which searches do not
use; it is dropped before the next build.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from registry.documents.model import EmbeddingSpace
from registry.passages.store.indexes import PARTITIONS, indexed

log = structlog.get_logger(__name__)

# Shorter lists find as much with fewer distances, and are slower to build.
PASSAGES_PER_LIST = 64
# The memory and the time of a build grow with the square of the lists; with so many it needs less than 1 GB.
MAX_LISTS = 1_000
BUILD_MEMORY = "1GB"
# Iterative scans came with this version of pgvector.
OLDEST_PGVECTOR = (0, 8)
# Also of the wait for transactions that began before; the next attempt starts anew.
BUILD_SECONDS = 7_200

INDEXES = text(
    r"""
    SELECT partition.relname AS partition, greatest(partition.reltuples, 0) AS passages, index.relname AS name,
           indisvalid AS is_valid,
           (SELECT CAST(option_value AS int) FROM pg_options_to_table(index.reloptions)
            WHERE option_name = 'lists') AS lists
    FROM pg_inherits
    JOIN pg_class AS partition ON partition.oid = inhrelid
    LEFT JOIN (pg_index JOIN pg_class AS index ON index.oid = indexrelid AND index.relname LIKE '%\_vectors\_%')
        ON indrelid = partition.oid
    WHERE inhparent = CAST('passages' AS regclass)
    ORDER BY partition.relname, index.relname
    """
)


@dataclass(frozen=True, slots=True)
class Step:
    """The work on one partition: an index to build, or None, and the names of those to drop."""

    partition: str
    lists: int | None
    broken: tuple[str, ...]
    """Dropped before the build."""
    replaced: tuple[str, ...]
    """Dropped after it."""


async def plan(session: AsyncSession, minimum: int) -> list[Step]:
    """The steps that bring the index up to date: built from `minimum` passages of all corpora, dropped below half."""
    partitions: dict[str, list[tuple[str, int, bool]]] = {}
    passages: dict[str, float] = {}
    for row in await session.execute(INDEXES):
        passages[row.partition] = row.passages
        indexes = partitions.setdefault(row.partition, [])
        if row.name is not None:
            indexes.append((row.name, row.lists, row.is_valid))
    total = sum(passages.values())
    steps = [_step(name, passages[name], total, minimum, indexes) for name, indexes in partitions.items()]
    return [step for step in steps if step.lists is not None or step.broken or step.replaced]


async def carry_out(connection: AsyncConnection, dimension: int, steps: Sequence[Step]) -> None:
    """Build and drop indexes, on a connection that commits every statement and is closed afterwards."""
    await connection.execute(text(f"SET maintenance_work_mem = '{BUILD_MEMORY}'"))
    await connection.execute(text(f"SET statement_timeout = '{BUILD_SECONDS}s'"))
    for step in steps:
        await _drop(connection, step.broken)
        if step.lists is not None:
            began = time.monotonic()
            await connection.execute(
                text(
                    f"CREATE INDEX CONCURRENTLY {step.partition}_vectors_{step.lists}_idx ON {step.partition} "
                    f"USING ivfflat ({indexed(dimension)} halfvec_cosine_ops) WITH (lists = {step.lists})"
                )
            )
            seconds = round(time.monotonic() - began, 1)
            log.info("vector_index_built", partition=step.partition, lists=step.lists, seconds=seconds)
        await _drop(connection, step.replaced)


async def dimension_of_embeddings(session: AsyncSession) -> int | None:
    """None before there are any, or where pgvector is too old for the index."""
    version = str(await session.scalar(text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")))
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_PGVECTOR:
        log.info("vector_index_impossible", pgvector=version, needed=".".join(map(str, OLDEST_PGVECTOR)))
        return None
    space = await session.get(EmbeddingSpace, True)
    return space.dimension if space is not None else None


async def indexed_partitions(session: AsyncSession) -> int:
    return sum(row.lists is not None for row in await session.execute(PARTITIONS))


def _step(
    partition: str, passages: float, total: float, minimum: int, indexes: Sequence[tuple[str, int, bool]]
) -> Step:
    broken = tuple(name for name, _, is_valid in indexes if not is_valid)
    valid = {name: lists for name, lists, is_valid in indexes if is_valid}
    if total < minimum / 2 or (total < minimum and not valid):
        return Step(partition, None, broken, tuple(valid))
    wanted = min(max(round(passages / PASSAGES_PER_LIST), 1), MAX_LISTS)
    fitting = [name for name, lists in valid.items() if wanted / 2 <= lists <= wanted * 2]
    replaced = tuple(name for name in valid if name not in fitting[:1])
    return Step(partition, None if fitting else wanted, broken, replaced)


async def _drop(connection: AsyncConnection, names: Sequence[str]) -> None:
    for name in names:
        await connection.execute(text(f"DROP INDEX CONCURRENTLY IF EXISTS {name}"))
        log.info("vector_index_dropped", index=name)
