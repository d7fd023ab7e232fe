"""Housekeeping, every hour: rows that are too old or left behind, and the approximate index of embeddings."""

import structlog

from registry.jobs.store import BATCH, RULES, delete_batch
from registry.passages.store.index_maintenance import carry_out, dimension_of_embeddings, plan
from registry.platform.database.locks import try_lock
from registry.runtime import Runtime

log = structlog.get_logger(__name__)

LOCK = "vector_index"
# Passages in the database from which they get an index: below, an exact search takes a tenth of a second
# (docs/results/storage.md).
FIRST_PASSAGES = 200_000


async def clean(runtime: Runtime) -> dict[str, int]:
    """Delete what the rules say; returns how many rows of which tables."""
    deleted: dict[str, int] = {}
    for rule in RULES:
        name = rule.rows.name
        count = BATCH
        while count == BATCH:
            async with runtime.database.begin() as session:
                count = await delete_batch(session, rule, runtime.settings)
            deleted[name] = deleted.get(name, 0) + count
    deleted = {name: count for name, count in deleted.items() if count}
    log.info("housekeeping_done", **deleted)
    return deleted


async def update_index(runtime: Runtime, first: int = FIRST_PASSAGES) -> int:
    """Bring the index up to date unless another process does; returns how many partitions changed."""
    async with runtime.database.begin() as session:
        if not await plan(session, first):
            return 0
    async with try_lock(runtime.database, LOCK) as connection:
        if connection is None:
            return 0
        async with runtime.database.begin() as session:
            steps = await plan(session, first)
            dimension = await dimension_of_embeddings(session)
        if dimension is None:
            return 0
        await carry_out(connection, dimension, steps)
        return len(steps)
